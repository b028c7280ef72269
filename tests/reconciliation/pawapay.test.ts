// The whole service with pawaPay, whose statements show payments without a callback, and other changes of the wallets.

import { expect, it } from 'vitest'
import { heldByBook, readFloat } from '#ledger/float.ts'
import { present } from '#platform/assert.ts'
import { listBreaks } from '#reconciliation/mismatches.ts'
import { adjustWallet } from '#reconciliation/wallets.ts'
import { searchRecords, shapeOf } from '#reporting/search.ts'
import { newReference } from '#tests/payments/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePawapayService } from './pawapay-service.ts'

const { clock, fake, service } = await usePawapayService('staging')

const hourMs = 3_600_000
const dayMs = 24 * hourMs
let numbersUsed = 233_240_000_000

async function begin(kind: 'collection' | 'transfer') {
  const [reference, phoneNumber] = [newReference(), `+${(numbersUsed += 1)}`]
  fake.script(phoneNumber, { fate: 'stuck' })
  const body = { reference, amount: 12_550, currency: 'GHS', phoneNumber, operator: 'mtn-gh' }
  expectSuccess(await service.staging.post(`/v1/momo/${kind}`, body))
  const { id } = await untilHolds(() => present(fake.paymentsOf(phoneNumber)[0], 'it arrived'))
  const complete = (): void => fake.script(phoneNumber, { fate: 'COMPLETED', words: [] })
  const status = async () => expectSuccess(await service.staging.get(`/v1/momo/${kind}/${reference}`)).status as string
  return { reference, phoneNumber, id, complete, status }
}

const list = (type: string, id: string, amount: string): void =>
  void fake.statements.rows.push({ country: 'GHA', currency: 'GHS', type, id, amount, atMs: clock.now() })

/** Moves the clock to the next night, until its lists are compared. */
async function close(): Promise<void> {
  const night = Math.floor((clock.now() - hourMs) / dayMs) * dayMs + dayMs + hourMs
  clock.advance(night - clock.now() + 1_000)
  await untilHolds(async () => {
    clock.advance(1_000)
    const proved = "select 1 from rail_check where loop = 'close' and from_at is null and proved_until >= $1"
    expect(await asOwner(service.database, proved, [new Date(night)])).toHaveLength(1)
  })
}

const inBook = async () =>
  heldByBook(await readFloat(service.ctx.db, { environment: 'staging', rail: 'pawapay' }), {
    currency: 'GHS',
    country: 'GH',
  })
const open = async () =>
  (await listBreaks(service.ctx, { open: true }))
    .filter(({ kind }) => kind !== 'float')
    .map(({ kind, subject }) => ({ kind, subject }))
const differing = async () =>
  (await listBreaks(service.ctx, { open: true })).filter(({ kind }) => kind === 'float').map(({ amount }) => amount)

/** Makes the wallet of Ghana hold this many pesewas more than its book says. */
async function hold(more: bigint): Promise<void> {
  const held = present(await inBook(), 'the wallet has a book') + more
  const balance = `${held / 100n}.${String(held % 100n).padStart(2, '0')}`
  fake.balances.splice(0, fake.balances.length, { country: 'GHA', currency: 'GHS', balance, provider: '' })
}

it('credits a collection once that was paid days after its expiry and without a callback, and finds it', async () => {
  const { reference, phoneNumber, id, complete, status } = await begin('collection')
  const expired = { status: 'FAILED', failureReason: 'EXPIRED' }
  expectSuccess(await service.staging.post(`/v1/sandbox/momo/collection/${reference}/complete`, expired))
  await untilHolds(async () => {
    clock.advance(hourMs)
    const resting = 'select 1 from payment where rail_reference = $1 and due_at is null'
    expect(await asOwner(service.database, resting, [id])).toHaveLength(1)
  })
  complete()
  list('DEPOSIT', id, '125.50')
  await close()
  await close()
  expect(await status()).toBe('SUCCESS')
  const credited = 'select amount::int from deposit where sender_account_number = $1'
  expect(await asOwner(service.database, credited, [phoneNumber])).toEqual([{ amount: 12_550 }])
  expect(await open()).toEqual([])
  // The search index passed the collection when it expired, before it had the operator's number.
  const { operatorReference } = expectSuccess(await service.staging.get(`/v1/momo/collection/${reference}`))
  const { staging } = service.business.tenants
  await untilHolds(async () => {
    clock.advance(2_000)
    const hits = await searchRecords(service.ctx, staging, shapeOf(operatorReference as string))
    expect(hits.map((hit) => hit.reference)).toEqual([reference])
  })
})

it('names a deposit that was not ordered here, and one of another amount', async () => {
  const { id, complete, status } = await begin('collection')
  complete()
  await untilHolds(async () => {
    clock.advance(60_000)
    expect(await status()).toBe('SUCCESS')
  })
  const stranger = '08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e'
  list('DEPOSIT', stranger, '7')
  list('DEPOSIT', id, '125.49')
  await close()
  expect((await open()).toSorted((one, other) => (one.kind < other.kind ? -1 : 1))).toEqual([
    { kind: 'amount', subject: id },
    { kind: 'missing-here', subject: stranger },
  ])
})

it('books the fees, top-ups and withdrawals of a country, and shows an operator what it does not know', async () => {
  const before = present(await inBook(), 'collections were booked')
  const wallet = { environment: 'staging', rail: 'pawapay', currency: 'GHS', country: 'GH' } as const
  await adjustWallet(service.ctx, wallet, { amount: 100_000n, note: 'what the wallet held at first' })
  const { id, complete, status } = await begin('transfer')
  complete()
  await untilHolds(async () => {
    clock.advance(60_000)
    expect(await status()).toBe('SUCCESS')
  })
  list('PAYOUT', id, '125.50')
  list('PAYOUT_FEE', id, '1.25')
  list('WALLET_TOP_UP', '', '500')
  list('WITHDRAWAL', 'W-1', '-200')
  list('COMPENSATION', 'C-1', '+3')
  list('COMPENSATION', 'C-2', '-1')
  await close()
  await close()
  expect(await inBook()).toBe(before + 100_000n - 12_550n - 125n + 50_000n - 20_000n)
  const costs = "select amount::int, country from float_movement where kind = 'payout_cost'"
  expect(await asOwner(service.database, costs)).toEqual([{ amount: 125, country: 'GH' }])
  const unknown = (await listBreaks(service.ctx, { open: true })).filter(({ kind }) => kind === 'unknown-change')
  expect(unknown.map(({ fact }) => fact)).toEqual([expect.stringContaining('type COMPENSATION on')])
})

it('shows a wallet that holds another amount than its book, until they agree', async () => {
  await hold(0n)
  await close()
  expect(await differing()).toEqual([])
  await hold(-1n)
  await close()
  await close()
  const [found] = (await listBreaks(service.ctx, { open: true })).filter(({ kind }) => kind === 'float')
  expect(found).toMatchObject({
    amount: 1n,
    currency: 'GHS',
    subject: expect.stringMatching(/^\d{4}-\d\d-\d\d GH GHS$/),
  })
  expect(await differing()).toHaveLength(1)
  const wallet = { environment: 'staging', rail: 'pawapay', currency: 'GHS', country: 'GH' } as const
  await adjustWallet(service.ctx, wallet, { amount: -1n, note: 'a charge of the provider' })
  await close()
  expect(await differing()).toEqual([])
})

it('agrees to the unit with a wallet whose fees have fractions, however many days they come', async () => {
  const wallet = { environment: 'staging', rail: 'pawapay', currency: 'XOF', country: 'CI' } as const
  await adjustWallet(service.ctx, wallet, { amount: 10_000n, note: 'what the wallet held at first' })
  const others = [...fake.balances]
  const listFees = (day: string, fees: string[]) => {
    for (const [index, amount] of fees.entries())
      fake.statements.rows.push({
        country: 'CIV',
        currency: 'XOF',
        type: 'PAYOUT_FEE',
        id: `F-${day}-${index}`,
        amount,
        atMs: clock.now(),
      })
  }
  let heldInHundredths = 1_000_000
  for (const day of ['1', '2', '3', '4', '5', '6', '7', '8']) {
    // 1 % of 1,050 francs, three times, and one of less than half a franc: 31.90.
    listFees(day, ['10.5', '10.5', '10.5', '0.4'])
    heldInHundredths -= 3_190
    const balance = (heldInHundredths / 100).toFixed(2)
    fake.balances.splice(0, 9, ...others, { country: 'CIV', currency: 'XOF', balance, provider: '' })
    await close()
  }
  await close()
  expect(await differing()).toEqual([])
  const book = await readFloat(service.ctx.db, { environment: 'staging', rail: 'pawapay' })
  expect(heldByBook(book, wallet)).toBe(BigInt(Math.round(heldInHundredths / 100)))
  fake.balances.splice(0, 9, ...others, { country: 'CIV', currency: 'XOF', balance: '9740', provider: '' })
  await close()
  expect(await differing()).toEqual([5n])
  fake.balances.splice(0, 9, ...others, { country: 'CIV', currency: 'XOF', balance: '9744.8', provider: '' })
  await close()
  expect(await differing()).toEqual([])
  await adjustWallet(service.ctx, wallet, { amount: -9_745n, note: 'nothing is left for the other tests' })
})

it('takes no payment that is under way for a difference of its wallet, and misses a wallet that is gone', async () => {
  await begin('transfer')
  await begin('collection')
  for (const more of [-12_550n, 0n, 12_550n]) {
    await hold(more)
    await close()
    expect(await differing()).toEqual([])
  }
  await hold(12_551n)
  await close()
  expect(await differing()).toEqual([-1n])
  fake.balances.splice(0, 1, { country: 'UGA', currency: 'UGX', balance: '0', provider: '' })
  await close()
  expect(await differing()).toEqual([-1n])
})
