// The command that a step gives to the lane: how the payment ends, when it is due again, and what an operator must
// know.

import { describe, expect, it } from 'vitest'
import { changeRail, recordStep, settleByRail } from '#payments/execution/record-step.ts'
import type { LeasedPayment, Means, Step } from '#payments/execution/step.ts'
import type { RailChange } from '#payments/payment.ts'
import type { Try } from '#payments/execution/rail-call.ts'
import { settle, wait } from './stepping.ts'
import { useLeases } from './leasing.ts'

const { clock, lane, leased, means } = useLeases()
const sessionId = '9'.repeat(30)
const succeededAndReturned = settle({ kind: 'succeeded', sessionId }, { kind: 'reversed' })

const tryOf = (answered: Try['answered']): Try => {
  const at = new Date(clock.now())
  return { asked: 'submit', answered, detail: '', firstAt: at, lastAt: at, times: 1, milliseconds: 0 }
}
const [plain, worthKeeping] = [[tryOf('pending')], [tryOf('unknown'), tryOf('pending')]]

async function record(step: Step, one: LeasedPayment = leased()): Promise<Means> {
  const by = means()
  await recordStep(by, one, step)
  return by
}

const contradictions = async ({ ctx }: Means) => (await ctx.metrics.paymentsContradicted.get()).values[0]?.value
const movedBy = async ({ ctx }: Means) => (await ctx.metrics.paymentsMoved.get()).values.map(({ value }) => value)

describe('a payment with a next look', () => {
  it('is due after that time, with everything known about it', async () => {
    const one = leased()
    await record(wait(7_000, { asks: 2, railAnswer: 'pending' }), one)
    const { leaseEnd, payment } = one
    const dueAt = new Date(clock.now() + 7_000)
    const { submittedAt } = payment
    expect(lane.postponed).toMatchObject([{ leaseEnd, dueAt, asks: 2, submittedAt, railAnswer: 'pending' }])
  })

  it('counts as unsent only if it certainly was not sent', async () => {
    for (const unsent of [true, false]) await record(wait(0, { unsent }))
    expect(lane.postponed.map(({ submittedAt }) => submittedAt === null)).toEqual([true, false])
  })

  it('waits for the balance of its rail since the same time, also if it was not sent for another reason', async () => {
    const parkedAt = new Date(clock.now() - 3_600_000)
    const { payment } = leased()
    for (const unsent of [true, false])
      await record(wait(0, { unsent }), { ...leased(), payment: { ...payment, parkedAt } })
    expect(lane.postponed.map((row) => row.parkedAt)).toEqual([parkedAt, null])
  })

  it('keeps the answers of its rail if one of them is no plain success', async () => {
    for (const tries of [[], plain, worthKeeping]) await record(wait(0), { ...leased(), tries })
    const { id } = leased().payment
    expect(lane.postponed.map(({ tried }) => tried)).toEqual([undefined, undefined, { id, tries: worthKeeping }])
  })
})

describe('a payment that rests', () => {
  it('is not due any more, and no operator is alarmed', async () => {
    expect(await contradictions(await record({ kind: 'rest' }))).toBe(0)
    const { submittedAt } = leased().payment
    expect(lane.postponed).toMatchObject([{ dueAt: null, asks: 0, submittedAt }])
  })

  it('reports and counts a contradiction of its rail, except on staging', async () => {
    const step: Step = { kind: 'rest', contradiction: 'failed' }
    expect(await contradictions(await record(step))).toBe(1)
    expect(await contradictions(await record(step, { ...leased(), environment: 'staging' }))).toBe(0)
    expect(lane.postponed).toMatchObject([{ dueAt: null }, { dueAt: null }])
  })
})

describe('a payment that ends', () => {
  it('is settled in order, by the rail that ended it, with its answer once', async () => {
    await record(succeededAndReturned, { ...leased(), tries: worthKeeping })
    const source = { kind: 'rail', environment: 'production', rail: 'a' }
    expect(lane.settled).toMatchObject([
      { source, result: { kind: 'succeeded', sessionId }, tries: worthKeeping },
      { source, result: { kind: 'reversed' }, tries: undefined },
    ])
    expect(lane.postponed).toEqual([])
  })

  it('rests and is counted as a contradiction if one of its results is impossible', async () => {
    let told = 0
    lane.outcome = () => ((told += 1) === 1 ? 'unchanged' : 'impossible')
    expect(await contradictions(await record(succeededAndReturned))).toBe(1)
    expect(lane.postponed).toMatchObject([{ dueAt: null }])
  })

  it('is no contradiction if it had ended in the same way before', async () => {
    lane.outcome = () => 'unchanged'
    const by = means()
    const outcomes = await settleByRail(by, leased(), [{ kind: 'reversed' }])
    expect([outcomes, await contradictions(by), lane.postponed]).toEqual([[{ kind: 'unchanged' }], 0, []])
  })
})

describe('a payment that goes on to another rail', () => {
  const { leaseEnd } = leased()
  const change: RailChange = { kind: 'rail-changed', from: 'a', to: 'b', why: 'float', leaseEnd, railReference: null }

  it('is given to the lane, and counted', async () => {
    const by = await record({ kind: 'change-rail', change }, { ...leased(), tries: worthKeeping })
    expect([lane.settled, await movedBy(by)]).toMatchObject([[{ result: change, tries: worthKeeping }], [1]])
  })

  it('is not counted when another process has claimed it since', async () => {
    lane.outcome = () => 'unchanged'
    const by = means()
    await changeRail(by, leased(), change)
    expect([lane.settled.length, await movedBy(by)]).toEqual([1, []])
  })
})
