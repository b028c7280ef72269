// Refunds at Paystack and Monnify, against fakes that remember what they have sent back and answer badly.

import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { createMonnify } from '#rails/monnify/monnify.ts'
import { createPaystack } from '#rails/paystack/paystack.ts'
import type { RefundOrder } from '#rails/ports.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { describeRefunds } from './conformance-refunds.ts'
import { useFake } from './provider.ts'

const clock = createFakeClock()
const [paystack, monnify] = [await startFakePaystack(clock), await startFakeMonnify(clock)]
const { net, orders } = useFake(paystack, clock)
const { net: monnifyNet } = useFake(monnify, clock)
const limits = { readMs: 1_000 }
const atPaystack = createPaystack({
  name: 'paystack',
  secretKey: paystackTestKey,
  baseUrl: paystack.url,
  net,
  clock,
  limits,
})
const atMonnify = createMonnify({
  name: 'monnify',
  ...monnifyKeys,
  contractCode: monnifyContract,
  trust: 'signed',
  baseUrl: monnify.url,
  net: monnifyNet,
  clock,
  limits,
})

let transactions = 0
function newOrder(providerId: string, amount = toMoney(250_050)): RefundOrder {
  clock.advance(60_000) // Each order has its own minute, because calls are limited.
  const { railReference } = orders.dynamicAccount()
  return { railReference, providerId, amount, currency: 'NGN', reason: 'overpaid', submittedAtMs: clock.now() }
}
const newId = (): string => String(90_000_000_000 + (transactions += 1))

describeRefunds('Paystack', {
  refunds: atPaystack.refunds,
  clock,
  newOrder: () => newOrder(newId()),
  script: (call, act) => paystack.refunds.script(call === 'request' ? 'refund' : 'list', act),
  keysTried: 1,
  refuseNext: () => paystack.refunds.script('refund', 'refused'),
  made: ({ providerId }) => paystack.refunds.made().filter(({ transaction }) => transaction === providerId).length,
})

describeRefunds('Monnify', {
  refunds: atMonnify.refunds,
  clock,
  newOrder: () => newOrder(`MNFY|${newId()}`),
  script: (call, act) => monnify.refunds.script(call === 'request' ? 'refund' : 'status', act),
  keysTried: 2,
  refuseNext: () => monnify.refunds.script('refund', { code: 'R99', message: 'Refund not permitted' }),
  made: ({ railReference }) => monnify.refunds.made().filter(({ reference }) => reference === railReference).length,
})

describe('Paystack', () => {
  it('waits where our balance is too small for a refund', async () => {
    paystack.refunds.script('refund', 'no-balance')
    expect(await atPaystack.refunds.refund(newOrder(newId()))).toMatchObject({ sent: false, why: 'float' })
  })

  it.each([
    ['pending', 'pending'],
    ['processing', 'pending'],
    ['failed', 'failed'],
    ['parked', 'unknown'],
  ])('says %s, which is %s', async (word, kind) => {
    paystack.refunds.word = word
    const order = newOrder(newId())
    await atPaystack.refunds.refund(order)
    expect((await atPaystack.refunds.status(order)).kind).toBe(kind)
    paystack.refunds.word = 'processed'
  })

  it('says what a person must do about needs-attention', async () => {
    paystack.refunds.word = 'needs-attention'
    const order = newOrder(newId())
    await atPaystack.refunds.refund(order)
    const attention = expect.stringContaining('needs the account of the payer')
    expect(await atPaystack.refunds.status(order)).toMatchObject({ kind: 'pending', attention })
    paystack.refunds.word = 'processed'
  })

  it('takes only a balance that is too small for one', async () => {
    paystack.refunds.script('refund', 'no-answer-of-balance')
    expect(await atPaystack.refunds.refund(newOrder(newId()))).toMatchObject({ kind: 'unknown', why: 'refused' })
  })

  it('goes by the refund that did not fail, if there are several', async () => {
    const order = newOrder(newId())
    paystack.refunds.put({ transaction: order.providerId, amount: Number(order.amount), status: 'failed' })
    expect((await atPaystack.refunds.status(order)).kind).toBe('failed')
    paystack.refunds.put({ transaction: order.providerId, amount: Number(order.amount), status: 'processed' })
    expect((await atPaystack.refunds.status(order)).kind).toBe('refunded')
  })

  it('finds its refund in a list of all refunds, and takes nothing for proof that is not there', async () => {
    const [order, other] = [newOrder(newId()), newOrder(newId())]
    await atPaystack.refunds.refund(order)
    for (let index = 0; index < 3; index += 1) await atPaystack.refunds.refund(newOrder(newId()))
    paystack.refunds.heedsTransaction = false
    paystack.refunds.pageRows = 2
    expect((await atPaystack.refunds.status(order)).kind).toBe('refunded')
    clock.advance(20 * 60_000)
    expect((await atPaystack.refunds.status(other)).kind).toBe('unknown')
    paystack.refunds.heedsTransaction = true
    expect((await atPaystack.refunds.status(other)).kind).toBe('not-found')
    paystack.refunds.pageRows = 100
  })

  it('is not trusted about another amount, or about two refunds of one transaction', async () => {
    const order = newOrder(newId())
    paystack.refunds.put({ transaction: order.providerId, amount: 100, status: 'processed' })
    expect((await atPaystack.refunds.status(order)).kind).toBe('unknown')
    paystack.refunds.put({ transaction: order.providerId, amount: Number(order.amount), status: 'processed' })
    expect((await atPaystack.refunds.status(order)).kind).toBe('unknown')
  })
})

describe('Monnify', () => {
  it('sends nothing back below ₦100, and is not asked to', async () => {
    expect(await atMonnify.refunds.refund(newOrder('MNFY|1', toMoney(9_999)))).toMatchObject({ kind: 'failed' })
  })

  it.each(['R1', 'R2', 'R3', 'R4', 'R6', 'R8', 'R12'])('refuses for good with %s', async (code) => {
    monnify.refunds.script('refund', { code, message: 'no' })
    const state = await atMonnify.refunds.refund(newOrder(`MNFY|${newId()}`))
    expect(state).toMatchObject({ kind: 'failed', detail: expect.stringContaining(code) })
  })

  it('says what to do where the account of the payer is not known', async () => {
    monnify.refunds.script('refund', { code: 'R6', message: 'Customer account details are invalid' })
    const state = await atMonnify.refunds.refund(newOrder(`MNFY|${newId()}`))
    expect(state).toMatchObject({ detail: expect.stringContaining('ask the payer for it') })
  })

  it.each([
    ['R5', { sent: false, why: 'float' }],
    ['R10', { sent: false }],
    ['R11', { sent: false }],
    ['M01', { sent: false }],
    ['M02', { sent: false }],
  ])('is asked again after %s', async (code, state) => {
    monnify.refunds.script('refund', { code, message: 'later' })
    expect(await atMonnify.refunds.refund(newOrder(`MNFY|${newId()}`))).toMatchObject({ kind: 'unknown', ...state })
  })

  it('concludes nothing from 99, and sends it again when it stays absent', async () => {
    monnify.refunds.script('refund', { code: '99', message: 'Error occurred while processing your request' })
    const state = await atMonnify.refunds.refund(newOrder(`MNFY|${newId()}`))
    expect(state).toEqual({ kind: 'unknown', detail: 'refund: refused with 400 99' })
  })

  it.each([400, 404, 422])('knows no refund of R7, also with HTTP %s', async (status) => {
    const order = newOrder(`MNFY|${newId()}`)
    await atMonnify.refunds.status(order)
    clock.advance(20 * 60_000)
    monnify.refunds.script('status', { code: 'R7', message: 'No refund was initiated', status })
    expect((await atMonnify.refunds.status(order)).kind).toBe('not-found')
  })

  it.each([
    ['PENDING', 'pending'],
    ['FAILED', 'failed'],
    ['PARKED', 'unknown'],
  ])('says %s, which is %s', async (word, kind) => {
    monnify.refunds.word = word
    const order = newOrder(`MNFY|${newId()}`)
    await atMonnify.refunds.refund(order)
    expect((await atMonnify.refunds.status(order)).kind).toBe(kind)
    monnify.refunds.word = 'COMPLETED'
  })
})

describe('the simulator', () => {
  it('sends money back after the usual time, also by the word of another process', async () => {
    const order = newOrder('sim-1')
    expect((await createSimulator({ clock, settleMs: 1_000 }).refunds.refund(order)).kind).toBe('pending')
    clock.advance(1_000)
    expect(await createSimulator({ clock, settleMs: 1_000 }).refunds.status(order)).toEqual({ kind: 'refunded' })
  })
})
