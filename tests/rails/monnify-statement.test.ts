// The lists of Monnify, as its adapter reads them.

import { expect, it } from 'vitest'
import { createMonnify } from '#rails/monnify/monnify.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { publishedChange } from '#tests/support/fakes/monnify-lists.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { useFake } from './provider.ts'
import { dayMs, describeStatement, readList } from './statement.ts'

const clock = createFakeClock()
const fake = await startFakeMonnify(clock)
const { net } = useFake(fake, clock)
const { statement } = createMonnify({
  name: 'monnify',
  ...monnifyKeys,
  contractCode: monnifyContract,
  trust: 'signed',
  baseUrl: fake.url,
  net,
  clock,
  limits: { submitMs: 1_000, readMs: 1_000, resolveMs: 1_000 },
})

const read = (list: 'payouts' | 'deposits' | 'ledger') => {
  clock.advance(60_000)
  return readList(statement, list, { fromMs: clock.now() - dayMs, toMs: clock.now() })
}

it('reads every state, all pages and all formats of dates in the list of disbursements', async () => {
  const atMs = clock.now()
  const words = ['SUCCESS', 'COMPLETED', 'FAILED', 'REVERSED', 'PENDING', 'PARKED']
  for (const [index, status] of words.entries())
    fake.lists.disbursement({ reference: `d-${index}`, naira: `1500.0${index}`, status, id: `MFDS-${index}` })
  const { lines, pages } = await read('payouts')
  expect(pages).toBe(3)
  expect(lines.map(({ reference, state, amount, atMs: at }) => `${reference} ${state} ${amount} ${at - atMs}`)).toEqual(
    [
      'd-0 succeeded 150000 0',
      'd-1 succeeded 150001 0',
      'd-2 failed 150002 0',
      'd-3 reversed 150003 0',
      'd-4 pending 150004 0',
      'd-5 unknown 150005 0',
    ],
  )
  expect(lines[0]).toMatchObject({ lineId: 'MFDS-0', fee: 2_000n, direction: 'out', cause: 'payout' })
})

it('lists only the paid transfers into accounts, and a late line once it appears', async () => {
  fake.lists.receipt({ reference: 'MNFY|1', naira: '2500.00', settled: '2475.00', accountNumber: '6100000001' })
  fake.lists.receipt({ reference: 'MNFY|2', naira: '10.00', status: 'EXPIRED' })
  fake.lists.receipt({ reference: 'MNFY|3', naira: '10.00', method: 'CARD' })
  const late = fake.lists.receipt({ reference: 'MNFY|4', naira: '7.00', status: 'OVERPAID' })
  late.isLate = true
  expect((await read('deposits')).lines).toMatchObject([
    { lineId: 'MNFY|1', amount: 250_000n, fee: 2_500n, accountNumber: '6100000001', state: 'succeeded' },
  ])
  late.isLate = false
  expect((await read('deposits')).lines.map(({ lineId }) => lineId)).toEqual(['MNFY|1', 'MNFY|4'])
})

it('reads a list of transactions that has fewer fields than the transaction itself', async () => {
  fake.lists.receipt({ reference: 'MNFY|11', naira: '31.00', isBrief: true })
  fake.lists.receipt({ reference: 'MNFY|12', naira: '32.00', isBrief: true, status: 'SUCCESSFUL' })
  fake.lists.receipt({ reference: 'MNFY|13', naira: '33.00', isBrief: true, status: 'PENDING' })
  const { lines } = await read('deposits')
  expect(lines.filter(({ lineId }) => lineId.startsWith('MNFY|1') && lineId.length === 7)).toMatchObject([
    { lineId: 'MNFY|11', amount: 3_100n, fee: null, accountNumber: null, state: 'succeeded' },
    { lineId: 'MNFY|12', amount: 3_200n },
  ])
})

it('the wallet statement lists each change with its cause and the balance after it, which may be negative', async () => {
  fake.lists.wallet({ naira: '1520.00', after: '-20.50', isCredit: false, cause: 'MFDS-0' })
  fake.lists.wallet({ naira: '2475.00', after: '2454.50', isCredit: true, cause: 'MNFY|1' })
  fake.lists.wallet({ naira: '0.50', after: '2455.00', isCredit: true })
  fake.lists.wallet({ naira: '2500.00', after: '-45.00', isCredit: false, cause: 'MNFY|1' })
  expect((await read('ledger')).lines).toMatchObject([
    { direction: 'out', cause: 'payout', amount: 152_000n, balanceAfter: -2_050n, reference: 'MFDS-0' },
    { direction: 'in', cause: 'settlement', amount: 247_500n, balanceAfter: 245_450n },
    { direction: 'in', cause: 'other', amount: 50n, balanceAfter: 245_500n },
    { direction: 'out', cause: 'refund', amount: 250_000n, balanceAfter: -4_500n },
  ])
})

it('the statement of the wallet is read in the form that Monnify has published', async () => {
  const atMs = Date.parse('2023-12-13T08:54:06.000Z')
  fake.lists.walletText(atMs, publishedChange)
  const returned = publishedChange.replaceAll('DEBIT', 'CREDIT')
  fake.lists.walletText(atMs, returned)
  const { lines } = await readList(statement, 'ledger', { fromMs: atMs - dayMs, toMs: atMs + 1 })
  const change = { cause: 'payout', reference: 'MFDS7820231213095406006362L4V3F9', amount: 13_000n, atMs }
  expect(lines).toMatchObject([
    { ...change, lineId: 'AT5_MFDS7820231213095406006362L4V3F9_1_DEBIT_0', direction: 'out', balanceAfter: 50_000n },
    { ...change, lineId: 'AT5_MFDS7820231213095406006362L4V3F9_1_CREDIT_0', direction: 'in' },
  ])
})

it('reads a deposit again, and takes the account only if it belongs to the reservation that was paid', async () => {
  fake.accounts.put('R1', '6100000009')
  fake.pay({ reference: 'MNFY|9', naira: '2500.00', reservation: 'R1' })
  const ask = (accountNumber: string | null) =>
    statement.reread({ reference: 'MNFY|9', lineId: 'MNFY|9', accountNumber })
  expect(await ask('6100000009')).toMatchObject({
    notices: [{ deposit: { providerId: 'MNFY|9', account: { number: '6100000009' }, amount: 250_000n } }],
  })
  expect(await ask('6100000008')).toMatchObject({ kind: 'unavailable' })
})

it('reads a deposit again whose list names no account, if the reservation has a single one', async () => {
  fake.accounts.put('R2', '6100000010')
  fake.pay({ reference: 'MNFY|10', naira: '2500.00', reservation: 'R2' })
  const ask = () => statement.reread({ reference: 'MNFY|10', lineId: 'MNFY|10', accountNumber: null })
  expect(await ask()).toMatchObject({ notices: [{ deposit: { account: { number: '6100000010' } } }] })
  fake.accounts.put('R2', '6100000010', '6100000011')
  expect(await ask()).toMatchObject({ kind: 'unavailable' })
  fake.pay({ reference: 'MNFY|10', naira: '2500.00', reservation: 'R2', method: 'CARD' })
  expect(await ask()).toMatchObject({ notices: [{ about: 'other' }] })
})

describeStatement({
  statement,
  now: () => {
    clock.advance(60_000)
    return clock.now()
  },
  script: (act) => fake.lists.script(act),
})
