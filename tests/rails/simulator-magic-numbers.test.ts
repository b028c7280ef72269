// The numbers that decide simulated outcomes (docs/simulator.md), one by one.

import { describe, expect, it } from 'vitest'
import type { CollectionOrder, MomoOrder, PayoutOrder } from '#rails/rail.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { bank, codeOperator, createOrderMaker, handsetOperator } from './orders.ts'

const settleMs = 1_000

/** A simulator of its own for each test, so that each has its own time. */
function setUp() {
  const clock = createFakeClock()
  return { clock, orders: createOrderMaker(clock), simulator: createSimulator({ clock, settleMs }) }
}

const anySuccess = { kind: 'succeeded', sessionId: expect.stringMatching(/^\d{30}$/) }
const anyMomoSuccess = { kind: 'succeeded', operatorReference: expect.stringMatching(/^SIM\d{12}$/) }

function transferAfter(accountNumber: string, elapsedMs: number) {
  const { clock, orders, simulator } = setUp()
  const order: PayoutOrder = orders.payout(accountNumber)
  clock.advance(elapsedMs)
  return elapsedMs === 0 ? simulator.payout.submit(order) : simulator.payout.status(order)
}

describe('bank transfers', () => {
  it.each([
    ['9990000007', 'INVALID_ACCOUNT'],
    ['9990000008', 'ACCOUNT_NAME_MISMATCH'],
    ['9990000006', 'DORMANT_ACCOUNT'],
    ['9990000005', 'DO_NOT_HONOR'],
    ['9990000034', 'SUSPECTED_FRAUD'],
    ['9990000061', 'LIMIT_EXCEEDED'],
    ['9990000091', 'BANK_UNAVAILABLE'],
    ['9990000099', 'PROVIDER_ERROR'],
  ])('to %s fail with %s after the settle delay and not before', async (accountNumber, reason) => {
    expect(await transferAfter(accountNumber, 0)).toEqual({ kind: 'pending', askAgainAfterMs: settleMs })
    expect(await transferAfter(accountNumber, settleMs - 1)).toEqual({ kind: 'pending', askAgainAfterMs: 1 })
    expect(await transferAfter(accountNumber, settleMs)).toEqual({ kind: 'failed', reason })
    expect(await transferAfter(accountNumber, 86_400_000)).toEqual({ kind: 'failed', reason })
  })

  it.each(['0123456789', '9990000000', '9990000010', '9990000100', '9980000007', '0000000007'])(
    'to %s, any other number, succeed after the settle delay and not before',
    async (accountNumber) => {
      expect(await transferAfter(accountNumber, 0)).toEqual({ kind: 'pending', askAgainAfterMs: settleMs })
      expect(await transferAfter(accountNumber, settleMs - 1)).toEqual({ kind: 'pending', askAgainAfterMs: 1 })
      expect(await transferAfter(accountNumber, settleMs)).toEqual(anySuccess)
    },
  )

  it('to 9990000097 are unknown for 30 s, then succeed', async () => {
    for (const elapsedMs of [0, settleMs, 5_000, 29_999]) {
      expect(await transferAfter('9990000097', elapsedMs)).toEqual({ kind: 'unknown', detail: expect.any(String) })
    }
    expect(await transferAfter('9990000097', 30_000)).toEqual(anySuccess)
  })

  it('to 9990000009 stay pending for ever, and when to ask again is the caller’s to say', async () => {
    expect(await transferAfter('9990000009', 0)).toEqual({ kind: 'pending', askAgainAfterMs: settleMs })
    for (const elapsedMs of [settleMs, 60_000, 365 * 86_400_000]) {
      expect(await transferAfter('9990000009', elapsedMs)).toEqual({ kind: 'pending' })
    }
  })

  it('to 9990000050 succeed, and 5 s after that are reversed', async () => {
    expect(await transferAfter('9990000050', settleMs - 1)).toEqual({ kind: 'pending', askAgainAfterMs: 1 })
    expect(await transferAfter('9990000050', settleMs)).toEqual({ ...anySuccess, askAgainAfterMs: 5_000 })
    expect(await transferAfter('9990000050', settleMs + 4_999)).toEqual({ ...anySuccess, askAgainAfterMs: 1 })
    expect(await transferAfter('9990000050', settleMs + 5_000)).toEqual({ ...anySuccess, kind: 'reversed' })
  })

  it('have their outcome at once where the settle delay is 0', async () => {
    const { clock, orders } = setUp()
    const { payout } = createSimulator({ clock, settleMs: 0 })
    expect(await payout.submit(orders.payout('0123456789'))).toEqual(anySuccess)
  })

  it('are left alone after a submission until the outcome is there', () => {
    expect(setUp().simulator.payout.submitLeaseMs).toBe(settleMs)
  })
})

describe('name enquiry', () => {
  const resolve = (accountNumber: string) => setUp().simulator.bankDirectory.resolve({ bank, accountNumber })

  it('does not know 9990000007, and gets no answer about 9990000091', async () => {
    expect(await resolve('9990000007')).toEqual({ kind: 'not-found' })
    expect(await resolve('9990000091')).toMatchObject({ kind: 'unavailable' })
  })

  it('knows every other number', async () => {
    const others = ['05', '06', '08', '09', '34', '50', '61', '97', '99'].map((end) => `99900000${end}`)
    for (const accountNumber of [...others, '0123456789']) {
      expect(await resolve(accountNumber), accountNumber).toMatchObject({ kind: 'resolved' })
    }
  })

  it('does not know the phone 08000000005, and knows every other', async () => {
    const { momoDirectory } = setUp().simulator
    const lookUp = (end: number) =>
      momoDirectory.lookUp({ operator: handsetOperator, phoneNumber: `+234800000000${end}` })
    expect(await lookUp(5)).toEqual({ kind: 'not-found' })
    for (const end of [1, 2, 3, 4, 6, 7, 8, 9]) expect(await lookUp(end)).toMatchObject({ kind: 'resolved' })
  })
})

function momoAfter(
  kind: 'momoPayout' | 'momoCollection',
  phoneNumber: string,
  elapsedMs: number,
  operator = handsetOperator,
) {
  const { clock, orders, simulator } = setUp()
  const order: CollectionOrder & MomoOrder = orders.collection(phoneNumber, operator)
  clock.advance(elapsedMs)
  return elapsedMs === 0 ? simulator[kind].submit(order) : simulator[kind].status(order)
}

describe.each(['momoPayout', 'momoCollection'] as const)('%s', (kind) => {
  it.each([
    ['+2348000000003', 'PAYMENT_NOT_APPROVED'],
    ['+2348000000004', 'INSUFFICIENT_FUNDS'],
    ['+2348000000005', kind === 'momoPayout' ? 'RECIPIENT_NOT_FOUND' : 'PAYER_NOT_FOUND'],
    ['+2348000000006', 'OPERATOR_UNAVAILABLE'],
    ['+2348000000007', 'LIMIT_EXCEEDED'],
  ])('with %s fails with %s after the settle delay, whatever the operator', async (phoneNumber, reason) => {
    for (const operator of [handsetOperator, codeOperator]) {
      expect(await momoAfter(kind, phoneNumber, 0, operator)).toEqual({ kind: 'pending', askAgainAfterMs: settleMs })
      expect(await momoAfter(kind, phoneNumber, settleMs, operator)).toEqual({ kind: 'failed', reason })
    }
  })

  it.each(['+2348000000001', '+2348030000000'])('with %s succeeds after the settle delay', async (phoneNumber) => {
    expect(await momoAfter(kind, phoneNumber, 0)).toEqual({ kind: 'pending', askAgainAfterMs: settleMs })
    expect(await momoAfter(kind, phoneNumber, settleMs)).toEqual(anyMomoSuccess)
  })

  it('with +2348000000008 never ends', async () => {
    expect(await momoAfter(kind, '+2348000000008', 86_400_000)).toEqual({ kind: 'pending' })
  })
})

describe('transfers to phones whose owners are asked for codes as payers', () => {
  it.each(['+2348000000002', '+2348000000009'])('to %s just succeed', async (phoneNumber) => {
    expect(await momoAfter('momoPayout', phoneNumber, settleMs)).toEqual(anyMomoSuccess)
  })
})

describe('collections with a code', () => {
  const startedAtMs = setUp().clock.now()

  it.each([
    ['+2348000000002', handsetOperator, 600_000],
    ['+2348000000009', handsetOperator, 10_000],
    ['+2348090000000', codeOperator, 600_000],
  ])('from %s at %o wait for it at once, for %d ms', async (phoneNumber, operator, lifeMs) => {
    const waiting = { kind: 'otp-required', expiresAtMs: startedAtMs + lifeMs }
    expect(await momoAfter('momoCollection', phoneNumber, 0, operator)).toEqual(waiting)
    expect(await momoAfter('momoCollection', phoneNumber, lifeMs - 1, operator)).toEqual(waiting)
    expect(await momoAfter('momoCollection', phoneNumber, lifeMs, operator)).toEqual({
      kind: 'failed',
      reason: 'OTP_EXPIRED',
    })
  })

  it('succeed after the right code and the settle delay, however late it is asked about', async () => {
    const { clock, orders, simulator } = setUp()
    const { momoCollection } = simulator
    const order = orders.collection('+2348000000002')
    await momoCollection.submit(order)
    clock.advance(300_000)
    expect(await momoCollection.submitOtp(order, '654321')).toEqual({ kind: 'wrong' })
    const accepted = { kind: 'accepted', state: { kind: 'pending', askAgainAfterMs: settleMs } }
    expect(await momoCollection.submitOtp(order, '123456')).toEqual(accepted)
    const confirmed = { ...order, otpAcceptedAtMs: clock.now() }
    clock.advance(settleMs)
    expect(await momoCollection.status(confirmed)).toEqual(anyMomoSuccess)
    clock.advance(86_400_000)
    expect(await momoCollection.status(confirmed)).toEqual(anyMomoSuccess)
    expect(await momoCollection.submitOtp(confirmed, '123456')).toEqual({ kind: 'accepted', state: anyMomoSuccess })
    expect(await momoCollection.submitOtp(confirmed, '000000')).toEqual({ kind: 'wrong' })
  })

  it('take no code that is late, not even the right one', async () => {
    const { clock, orders, simulator } = setUp()
    const order = orders.collection('+2348000000009')
    clock.advance(10_000)
    expect(await simulator.momoCollection.submitOtp(order, '123456')).toEqual({ kind: 'expired' })
  })

  it('refuse a code that they did not ask for', async () => {
    const { orders, simulator } = setUp()
    for (const phoneNumber of ['+2348000000001', '+2348000000008', '+2348030000000']) {
      expect(await simulator.momoCollection.submitOtp(orders.collection(phoneNumber), '123456')).toEqual({
        kind: 'not-waiting',
      })
    }
    expect(
      await simulator.momoCollection.submitOtp(orders.collection('+2348000000001', codeOperator), '123456'),
    ).toEqual({
      kind: 'not-waiting',
    })
  })
})
