// How a payment is submitted to its rail: to which rail, with which fields, and how long that may take.

import { describe, expect, it } from 'vitest'
import { railOrderOf, submitLeaseMsMaxOf, submitLeaseMsOf } from '#payments/execution/rail-call.ts'
import type { Payment } from '#payments/payment.ts'
import type { Rail } from '#rails/rail.ts'
import { createRailRegistry, type RailRegistry } from '#rails/registry.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { at, bankTransfer, collection, momoTransfer } from './made.ts'

type Order = Record<string, unknown>

function noting(name: string, submitLeaseMs: number, answer: () => unknown = () => ({ kind: 'pending' })) {
  const orders: Order[] = []
  const asked = async (order: Order) => (orders.push(order), answer())
  const port = { submitLeaseMs, submit: asked, status: asked }
  return { orders, rail: { name, payout: port, momoPayout: port, momoCollection: port } as unknown as Rail }
}

const registryOf = (...production: Rail[]): RailRegistry =>
  createRailRegistry({ clock: createFakeClock(), settleMs: 0, rails: { staging: [], production } })
const orderOf = (rails: RailRegistry, payment: Payment) => railOrderOf(rails, 'production', payment)
const later = new Date(at.getTime() + 60_000)

describe('a payment of each kind', () => {
  it.each<[string, (changes: object) => Payment, object]>([
    ['a bank transfer', bankTransfer, { bankSlug: 'no-such-bank' }],
    ['a wallet transfer', momoTransfer, { operator: 'no-such-operator' }],
    ['a collection', collection, { operator: 'no-such-operator' }],
  ])('%s is sent to the rail that it names, or to none', async (_kind, made, toNobody) => {
    const [a, b] = [noting('a', 1), noting('b', 1)]
    const rails = registryOf(a.rail, b.rail)
    await orderOf(rails, made({ rail: 'b' }))?.submit(7)
    await orderOf(rails, made({ rail: null }))?.status()
    expect([a.orders.length, b.orders]).toMatchObject([1, [{ leaveBeforeMs: 7 }]])
    expect(orderOf(rails, made({ rail: 'gone' }))).toBeUndefined()
    expect(orderOf(rails, made({ rail: 'a', ...toNobody }))).toBeUndefined()
  })

  it('names the time of its submission, or of its acceptance if it has no submission', async () => {
    const { orders, rail } = noting('a', 1)
    const rails = registryOf(rail)
    for (const submittedAt of [later, null]) await orderOf(rails, bankTransfer({ rail: 'a', submittedAt }))?.status()
    expect(orders).toMatchObject([{ submittedAtMs: later.getTime() }, { submittedAtMs: at.getTime() }])
  })

  it('names the time at which its code was accepted', async () => {
    const { orders, rail } = noting('a', 1)
    const rails = registryOf(rail)
    for (const otpAcceptedAt of [later, null]) await orderOf(rails, collection({ rail: 'a', otpAcceptedAt }))?.status()
    expect(orders).toMatchObject([{ otpAcceptedAtMs: later.getTime() }, { otpAcceptedAtMs: null }])
  })
})

describe('a rail that breaks its promise and throws', () => {
  it.each([
    ['an error', new Error('a bug of the rail'), 'a bug of the rail'],
    ['anything else', 'a word', 'a word'],
  ])('%s: the outcome of the payment is unknown', async (_what, thrown, detail) => {
    const { rail } = noting('a', 1, () => Promise.reject(thrown))
    expect(await orderOf(registryOf(rail), bankTransfer({ rail: 'a' }))?.status()).toEqual({ kind: 'unknown', detail })
  })
})

describe('how long a submission can take', () => {
  const rails = registryOf(noting('a', 5).rail, noting('b', 70).rail)
  it('is the limit of its rail', () => {
    const of = (rail: string) => submitLeaseMsOf(rails, 'production', { kind: 'momo_transfer', rail })
    expect([of('a'), of('b'), of('gone')]).toEqual([5, 70, 0])
  })

  it('is at most that of the slowest rail, and 0 without rails', () => {
    expect([submitLeaseMsMaxOf(rails), submitLeaseMsMaxOf(registryOf())]).toEqual([70, 0])
  })
})
