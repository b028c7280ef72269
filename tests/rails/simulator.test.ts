// The simulator passes the conformance suite of all rails, and its made-up answers are plausible.
// simulator-magic-numbers.test.ts tests the effect of each number.

import { describe, expect, it } from 'vitest'
import { listBanks } from '#directory/banks.ts'
import { toMoney } from '#platform/money.ts'
import { institutionCodeOf, isNuban } from '#rails/formats.ts'
import { bankFailureReasons, momoFailureReasons, type CollectionOrder } from '#rails/rail.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { describeBankDirectory, describeInbound, describeSubmission, noticeAddress, type Fate } from './conformance.ts'
import { describeVirtualAccounts } from './conformance-accounts.ts'
import { bank, codeOperator, createOrderMaker, handsetOperator } from './orders.ts'

const settleMs = 1_000
const clock = createFakeClock()
const simulator = createSimulator({ clock, settleMs })
const orders = createOrderMaker(clock)

/** The simulator stores nothing, so the test can count nothing: an order counts as its own only payment. */
const memoryless = {
  clock,
  paymentsMade: () => 1,
  amountArrived: (order: { amount: bigint }) => toMoney(order.amount),
}

const transfer = (title: string, fate: Fate, accountNumber: string) => {
  return { title, fate, newOrder: () => orders.payout(accountNumber) }
}
const phone = (title: string, fate: Fate, phoneNumber: string, operator = handsetOperator) => {
  return { title, fate, newOrder: (): CollectionOrder => orders.collection(phoneNumber, operator) }
}

describeSubmission('simulated bank transfer', {
  ...memoryless,
  port: simulator.payout,
  reasons: bankFailureReasons,
  newOrder: (amount) => orders.payout('0123456789', amount),
  scenarios: [
    transfer('to an ordinary account', 'paid', '0123456789'),
    transfer('to an invalid account', 'refused', '9990000007'),
    transfer('whose outcome is unclear at first', 'paid', '9990000097'),
    transfer('that never ends', 'open', '9990000009'),
    transfer('that comes back', 'returned', '9990000050'),
  ],
})

describeSubmission('simulated momo transfer', {
  ...memoryless,
  port: simulator.momoPayout,
  reasons: momoFailureReasons,
  newOrder: (amount) => orders.collection('+2348030000000', handsetOperator, amount),
  scenarios: [
    phone('to an ordinary phone', 'paid', '+2348030000000'),
    phone('to an operator that asks payers for codes', 'paid', '+2348090000000', codeOperator),
    phone('over the limit', 'refused', '+2348000000007'),
    phone('that never ends', 'open', '+2348000000008'),
  ],
})

describeSubmission('simulated collection', {
  ...memoryless,
  port: simulator.momoCollection,
  reasons: momoFailureReasons,
  newOrder: (amount) => orders.collection('+2348030000000', handsetOperator, amount),
  scenarios: [
    phone('approved on the handset', 'paid', '+2348030000000'),
    phone('refused on the handset', 'refused', '+2348000000003'),
    phone('whose code nobody gives', 'refused', '+2348090000000', codeOperator),
    phone('that never ends', 'open', '+2348000000008'),
  ],
})

describeBankDirectory('simulator', {
  directory: simulator.bankDirectory,
  known: { bank, accountNumber: '0123456789' },
  missing: { bank, accountNumber: '9990000007' },
  silent: [{ bank, accountNumber: '9990000091' }],
})

describeVirtualAccounts('simulator', {
  accounts: simulator.virtualAccounts,
  newStatic: () => orders.staticAccount(),
  newDynamic: () => orders.dynamicAccount(),
})

const money = {
  accountNumber: '8000000001',
  amount: toMoney(2n ** 31n),
  currency: 'NGN',
  status: 'SUCCESSFUL',
} as const
const sender = { senderAccountName: 'ADA OBI', senderAccountNumber: '0123456789', senderBankName: 'GTBank' }
const notice = { providerId: 'sim-1', ...money, ...sender, narration: 'order 7', occurredAtMs: clock.now() }

describeInbound('simulator', {
  inbound: simulator.inbound,
  genuine: simulator.inbound.sign(notice),
  signedNonsense: simulator.inbound.sign({ ...notice, accountNumber: '123' }),
})

describe('simulated notices', () => {
  it('arrive as they were sent, amounts above 2^31 too', async () => {
    const answer = await simulator.inbound.read(simulator.inbound.sign(notice).rawBody)
    const { accountNumber: number, ...rest } = notice
    const deposit = { provider: 'simulator', ...rest, account: { number } }
    expect(answer).toEqual({ kind: 'notices', notices: [{ about: 'deposit', deposit }] })
  })

  it('of another process are refused', () => {
    const { headers, rawBody } = createSimulator({ clock, settleMs }).inbound.sign(notice)
    expect(simulator.inbound.verify(headers, rawBody, noticeAddress)).toBe('forged')
  })
})

describe('after a restart', () => {
  it('the simulator answers as if it had never been away', async () => {
    const order = orders.payout('0123456789')
    const submitted = await createSimulator({ clock, settleMs }).payout.submit(order)
    expect(submitted).toEqual({ kind: 'pending', askAgainAfterMs: settleMs })
    clock.advance(settleMs)
    const [first, second] = [createSimulator({ clock, settleMs }), createSimulator({ clock, settleMs })]
    expect(await first.payout.status(order)).toMatchObject({ kind: 'succeeded' })
    expect(await first.payout.status(order)).toEqual(await second.payout.status(order))
  })
})

describe('made-up session ids', () => {
  it('have the NIP form: sender, Lagos time of the submission, twelve digits of their own', async () => {
    const midnight = createFakeClock(Date.parse('2026-12-31T23:00:05.678Z'))
    const { payout } = createSimulator({ clock: midnight, settleMs: 0 })
    const made = createOrderMaker(midnight)
    const states = await Promise.all(Array.from({ length: 500 }, () => payout.submit(made.payout('0123456789'))))
    const ids = states.map((state) => (state.kind === 'succeeded' ? state.sessionId : null))
    for (const id of ids) expect(id).toMatch(/^999999270101000005\d{12}$/)
    expect(new Set(ids).size).toBe(500)
  })
})

describe('made-up names', () => {
  it('are two or three words in capitals, the same for ever, and many', async () => {
    const { bankDirectory } = simulator
    const questions = Array.from({ length: 2_000 }, (_, index) => ({
      bank,
      accountNumber: String(index).padStart(10, '0'),
    }))
    const names = await Promise.all(
      questions.map(async (question) => {
        const answer = await bankDirectory.resolve(question)
        return answer.kind === 'resolved' ? answer.accountName : ''
      }),
    )
    for (const name of names) expect(name).toMatch(/^[A-Z]{3,}( [A-Z]{3,}){1,2}$/)
    for (const name of names) expect(new Set(name.split(' ')).size, name).toBe(name.split(' ').length)
    expect(new Set(names).size).toBeGreaterThan(1_500)
    // An integrator's test that expects a name must still pass after an upgrade.
    expect(names[0]).toBe('ESSIEN ARIT')
  })

  it('differ between banks', async () => {
    const other = { ...bank, slug: 'access-bank' }
    const ask = (where: typeof bank) => simulator.bankDirectory.resolve({ bank: where, accountNumber: '0123456789' })
    expect(await ask(bank)).not.toEqual(await ask(other))
  })
})

describe('made-up account numbers', () => {
  it.each(listBanks().map((known) => [known.slug, known] as const))(
    'at %s are valid NUBANs that decide nothing',
    async (_slug, known) => {
      const answer = await simulator.virtualAccounts.createStatic({ ...orders.staticAccount(), bank: known })
      expect(answer).toMatchObject({
        kind: 'created',
        bankSlug: known.slug,
        bankName: known.name,
        accountName: 'Ada Obi',
      })
      const accountNumber = answer.kind === 'created' ? answer.accountNumber : ''
      const institution = institutionCodeOf(known.code.replaceAll(/\D/g, '')) ?? ''
      expect(isNuban(institution, accountNumber)).toBe(true)
      expect(accountNumber).toMatch(/^[0-8]/)
    },
  )

  it('hardly ever meet, and another attempt gives another number', async () => {
    const numberOf = async (attempt: number, order = orders.dynamicAccount()): Promise<string> => {
      const answer = await simulator.virtualAccounts.createDynamic({ ...order, attempt })
      return answer.kind === 'created' ? answer.accountNumber : ''
    }
    const numbers = await Promise.all(Array.from({ length: 1_000 }, () => numberOf(0)))
    // In a thousand numbers two are equal once in some 1 800 runs; three equal pairs never occur.
    expect(new Set(numbers).size).toBeGreaterThan(997)
    const order = orders.dynamicAccount()
    expect(await numberOf(1, order)).not.toBe(await numberOf(0, order))
  })
})
