// The lists of Paystack, as its adapter reads them.

import { describe, expect, it } from 'vitest'
import { cursorAfter } from '#rails/paystack/call.ts'
import { createPaystack, createPaystackWallets } from '#rails/paystack/paystack.ts'
import { statementLists } from '#rails/statement.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { useFake } from './provider.ts'
import { dayMs, describeStatement, readList } from './statement.ts'

const clock = createFakeClock()
const fake = await startFakePaystack(clock)
const { net } = useFake(fake, clock)
const limits = { submitMs: 1_000, readMs: 1_000, resolveMs: 1_000 }
const options = { name: 'paystack', secretKey: paystackTestKey, net, clock, limits }
const { statement } = createPaystack({ ...options, baseUrl: fake.url })

const read = (list: 'payouts' | 'deposits' | 'ledger') => {
  clock.advance(60_000)
  return readList(statement, list, { fromMs: clock.now() - dayMs, toMs: clock.now() })
}

describe('the list of transfers', () => {
  it('has every state, from all pages, and both names of the date', async () => {
    const states = ['success', 'success', 'success', 'failed', 'reversed', 'pending', 'blocked', 'otp', 'received']
    for (const [index, status] of states.entries())
      fake.lists.transfer({ reference: `transfer-${index}`, amount: 150_000 + index, status })
    const { lines, pages } = await read('payouts')
    expect(pages).toBe(10)
    const found = lines.map(({ reference, state }) => `${reference} ${state}`).toSorted()
    expect(found).toEqual([
      'transfer-0 succeeded',
      'transfer-1 succeeded',
      'transfer-2 succeeded',
      'transfer-3 failed',
      'transfer-4 reversed',
      'transfer-5 pending',
      'transfer-6 failed',
      'transfer-7 pending',
      'transfer-8 pending',
    ])
    expect(lines.find(({ reference }) => reference === 'transfer-0')).toMatchObject({
      list: 'payouts',
      direction: 'out',
      amount: 150_000n,
      fee: 1_000n,
      currency: 'NGN',
    })
    // These ids are beyond the exact integers of JavaScript.
    expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(9)
    expect(lines[0]?.lineId).toMatch(/^90071992547\d{6}$/)
  })

  it('holds a transfer that ends while the list is read, whichever page it ends after', async () => {
    const { pages } = await read('payouts')
    for (let ending = 1; ending < pages; ending += 1) {
      const reference = `ends-after-page-${ending}`
      const moving = fake.lists.transfer({ reference, amount: 5_000, status: 'pending' })
      clock.advance(60_000)
      const window = { fromMs: clock.now() - dayMs, toMs: clock.now() }
      const { lines } = await readList(statement, 'payouts', window, (page) => {
        if (page !== ending) return
        moving.status = 'success'
        moving.text = moving.text.replace('"pending"', '"success"')
      })
      expect(lines.map((line) => line.reference)).toContain(reference)
    }
  })

  it('has late rows once they appear, and rows without a reference', async () => {
    const late = fake.lists.transfer({ reference: null, amount: 7 })
    late.isLate = true
    expect((await read('payouts')).lines.filter(({ amount }) => amount === 7n)).toEqual([])
    late.isLate = false
    expect((await read('payouts')).lines.filter(({ amount }) => amount === 7n)).toMatchObject([{ reference: '' }])
  })
})

it('lists the transfers into our accounts, and no cards, which belong to other uses of the account', async () => {
  fake.lists.transaction({ reference: 'T-1', amount: 250_000, accountNumber: '7000000001', fees: 2_500 })
  fake.lists.transaction({ reference: 'T-2', amount: 90_000, channel: 'card' })
  fake.lists.transaction({ reference: 'T-3', amount: 70_000, channel: 'bank_transfer' })
  const { lines } = await read('deposits')
  expect(lines).toMatchObject([
    {
      reference: 'T-1',
      state: 'succeeded',
      amount: 250_000n,
      fee: 2_500n,
      accountNumber: '7000000001',
      direction: 'in',
    },
    { reference: 'T-3', state: 'succeeded', amount: 70_000n, accountNumber: null },
  ])
})

it.each([
  ['GH', 'GHS', 150_000, 150_000n],
  ['KE', 'KES', 150_000, 150_000n],
  ['CI', 'XOF', 150_000, 1_500n],
] as const)(
  'the list of transactions of an account in %s holds collections in %s',
  async (country, currency, listed, amount) => {
    const there = await startFakePaystack(clock, paystackTestKey, currency)
    const wallets = createPaystackWallets({ ...options, country, baseUrl: there.url })
    const reference = '08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e'
    there.lists.transaction({ reference, amount: listed, fees: 0, channel: 'mobile_money' })
    there.lists.transaction({ reference: 'a-checkout', amount: listed, channel: 'mobile_money' })
    clock.advance(60_000)
    const window = { fromMs: clock.now() - dayMs, toMs: clock.now() }
    expect((await readList(wallets.statement, 'deposits', window)).lines).toMatchObject([
      { reference, amount, fee: 0n, currency, state: 'succeeded', direction: 'in' },
    ])
    await there.close()
  },
)

it('reads fees and balances with fractions of a franc', async () => {
  const there = await startFakePaystack(clock, paystackTestKey, 'XOF')
  const { statement: lists, float } = createPaystackWallets({ ...options, country: 'CI', baseUrl: there.url })
  const reference = '08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e'
  there.lists.transaction({ reference, amount: 105_000, fees: 2_048, channel: 'mobile_money' })
  there.lists.ledger({ difference: 102_952, balance: 1_102_952, model: 'Transaction' })
  there.lists.ledger({ difference: -40, balance: 1_102_912, model: 'Other' })
  there.lists.held = 1_102_912n
  clock.advance(60_000)
  const window = { fromMs: clock.now() - dayMs, toMs: clock.now() }
  expect((await readList(lists, 'deposits', window)).lines).toMatchObject([{ amount: 1_050n, fee: 20n }])
  expect((await readList(lists, 'ledger', window)).lines).toMatchObject([
    { amount: 1_030n, fraction: -480_000, direction: 'in', cause: 'settlement', balanceAfter: 11_030n },
    { amount: 1n, fraction: -600_000, direction: 'out', cause: 'other', balanceAfter: 11_029n },
  ])
  expect(await float.balance()).toEqual({ kind: 'known', wallets: [{ currency: 'XOF', amount: 11_029n }] })
  await there.close()
})

it('the ledger lists each change of the balance with its cause and the balance after it', async () => {
  fake.lists.ledger({ difference: -151_000, balance: 849_000, row: '9007199254740993' })
  fake.lists.ledger({ difference: 50_000, balance: 899_000, model: 'Transaction' })
  fake.lists.ledger({ difference: 1_000, balance: 900_000, model: 'Something' })
  const { lines } = await read('ledger')
  expect(lines).toMatchObject([
    { direction: 'out', cause: 'payout', amount: 151_000n, balanceAfter: 849_000n, reference: '9007199254740993' },
    { direction: 'in', cause: 'settlement', amount: 50_000n, balanceAfter: 899_000n },
    { direction: 'in', cause: 'other', amount: 1_000n, balanceAfter: 900_000n },
  ])
})

it('reads a deposit again as it reads its notice', async () => {
  fake.pay({ reference: 'T-1', id: '90000000000000017', amount: 250_000, accountNumber: '7000000001' })
  const answer = await statement.reread({ reference: 'T-1', lineId: '90000000000000017', accountNumber: null })
  expect(answer).toMatchObject({
    kind: 'notices',
    notices: [{ about: 'deposit', deposit: { providerId: '90000000000000017', amount: 250_000n } }],
  })
})

it('reads each list to its end where pages have numbers in place of cursors', async () => {
  for (let index = 0; index < 5; index += 1) {
    fake.lists.transfer({ reference: `numbered-${index}`, amount: 321 })
    fake.lists.transaction({ reference: `numbered-${index}`, amount: 321, accountNumber: '7000000001' })
    fake.lists.ledger({ difference: 321, balance: 900_000 + index })
  }
  fake.lists.hasCursors = false
  for (const list of statementLists)
    expect((await read(list)).lines.filter(({ amount }) => amount === 321n)).toHaveLength(5)
  fake.lists.hasCursors = true
})

it.each([null, 'null', ''])('takes %j for the end of a list', (next) => {
  expect(cursorAfter('c', { next }, 100)).toBe('')
})

describeStatement({
  statement,
  now: () => {
    clock.advance(60_000)
    return clock.now()
  },
  script: (act) => fake.lists.script(act),
})
