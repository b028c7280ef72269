// The whole service with a Monnify that sends no notices: its lists alone end payments and bring deposits, and in the
// end its wallet equals our book to the kobo.

import { afterAll, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { createNet } from '#platform/http-client/client.ts'
import { readFloat } from '#ledger/float.ts'
import { createMonnify } from '#rails/monnify/monnify.ts'
import { listBreaks } from '#reconciliation/mismatches.ts'
import { newCustomer } from '#tests/deposits/requests.ts'
import { newReference, transferBody } from '#tests/payments/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const [clock, net] = [createFakeClock(), createNet()]
const fake = await startFakeMonnify(clock)
fake.lists.held = '10000.00'
const monnify = createMonnify({
  name: 'monnify',
  ...monnifyKeys,
  contractCode: monnifyContract,
  emailDomain: 'pay.example.com',
  trust: 'signed',
  baseUrl: fake.url,
  net,
  clock,
})
const service = await useService({ clock, rails: { staging: [monnify] } })
afterAll(() => Promise.all([net.close(), fake.close()]))

const hourMs = 3_600_000

async function payOut(): Promise<string> {
  const [reference, accountNumber] = [newReference(), '0123456789']
  fake.script(accountNumber, { fate: 'PENDING' })
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference, accountNumber })))
  const transfer = await untilHolds(() => present(fake.transfersTo(accountNumber)[0], 'the transfer arrived'))
  fake.script(accountNumber, { fate: 'SUCCESS' })
  clock.advance(1_000)
  fake.lists.disbursement({ id: 'MFDS1', reference: transfer.reference, naira: '1500.00', fee: '20.00' })
  fake.lists.wallet({ naira: '1520.00', after: '8480.00', isCredit: false, cause: 'MFDS1' })
  return reference
}

async function payIn(): Promise<void> {
  const { reference: customerReference } = await newCustomer(service.staging, { bvn: '22211100099' })
  const opened = await service.staging.post('/v1/virtual-accounts/static', { customerReference })
  const { accountNumber } = expectSuccess(opened) as { accountNumber: string }
  const { reference: reservation } = present(fake.accounts.find(accountNumber), 'the account is reserved')
  clock.advance(1_000)
  const paidOn = new Date(clock.now() + hourMs).toISOString().slice(0, 23).replace('T', ' ')
  fake.pay({ reference: 'MNFY|1', naira: '2500.00', reservation, paidOn })
  fake.lists.receipt({ reference: 'MNFY|1', naira: '2500.00', settled: '2475.00', accountNumber })
  fake.lists.wallet({ naira: '2475.00', after: '10955.00', isCredit: true, cause: 'MNFY|1' })
  fake.lists.held = '10955.00'
}

it('ends unreported payments, receives unreported money, and proves the wallet the next night', async () => {
  const reference = await payOut()
  await payIn()
  await untilHolds(async () => {
    clock.advance(60_000)
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status).toBe('SUCCESS')
    const { deposits } = expectSuccess(await service.staging.get('/v1/deposits'))
    expect(deposits).toMatchObject([{ amount: 250_000, status: 'SUCCESSFUL' }])
  })
  clock.advance(17 * hourMs)
  const proved = "select 1 from rail_check where loop = 'close' and proved_until > '2026-01-15T23:00:00Z'"
  await untilHolds(async () => {
    clock.advance(1_000)
    expect(await asOwner(service.database, proved)).toHaveLength(1)
  })
  expect(await listBreaks(service.ctx, { open: false })).toEqual([])
  const book = await readFloat(service.ctx.db, { environment: 'staging', rail: 'monnify' })
  expect(Object.fromEntries(book.map(({ account, balance }) => [account, balance]))).toEqual({
    bank: -1_000_000n,
    balance: 1_095_500n,
    cost: 4_500n,
    receivable: 0n,
    suspense: 0n,
    tenants: -100_000n,
  })
  expect(fake.faults).toEqual([])
})
