// One step of a payment with a fake rail: its answer, and whether it is stopped. Nothing is written.

import type { Db } from '#platform/db/db.ts'
import { hourMs, minuteMs } from '#platform/durations.ts'
import type { FirstSeen } from '#platform/cache.ts'
import type { Wait } from '#payments/execution/schedule.ts'
import { takeStep, type Step } from '#payments/execution/step.ts'
import type { Payment, LastAnswer } from '#payments/payment.ts'
import type { RailState } from '#payments/execution/rail-call.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { NotFound, Rail } from '#rails/rail.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { at } from './made.ts'

export const submitLeaseMs = 1_000
export const floatPatienceMs = 3 * hourMs

/** `absentMs`: for how long this process has seen it absent. */
export type Asked = {
  afterMs?: number
  sentBefore?: boolean
  stopped?: boolean
  stopsTakeMs?: number
  absentMs?: number
  /** In place of `absentMs`: the absences that several steps of one process have seen, by its clock. */
  process?: { absences: FirstSeen; clock: FakeClock }
  /** The process is suspended for this long before it reads the answer. */
  suspendedMs?: number
}

/** The step of a payment whose rail gives this answer so long after the payment was made, and the calls to the rail. */
export async function stepOf(
  payment: Payment,
  word: RailState | NotFound,
  {
    afterMs = 1_000,
    sentBefore = true,
    stopped = false,
    stopsTakeMs = 0,
    absentMs = absenceGraceMs,
    process = { absences: { sinceMs: () => absentMs, forget: () => undefined }, clock: createFakeClock() },
    suspendedMs = 0,
  }: Asked = {},
) {
  const { absences, clock } = process
  const ctx = createTestContext({} as Db, clock)
  ctx.clock.advance(at.getTime() + afterMs - ctx.clock.now())
  const calls: string[] = []
  const says = (call: string) => () => {
    calls.push(call)
    ctx.clock.advance(suspendedMs)
    return Promise.resolve(word as never)
  }
  const port = { submitLeaseMs, submit: says('submit'), status: says('status') }
  const rail = { name: 'simulator', payout: port, momoPayout: port, momoCollection: port } as unknown as Rail
  const rails = createRailRegistry({ clock: ctx.clock, settleMs: 0, rails: { staging: [rail] } })
  const leased = {
    payment,
    environment: 'staging' as const,
    sentBefore,
    leaseEnd: new Date(ctx.clock.now() + minuteMs),
    leaveBeforeMs: ctx.clock.monotonicMs() + minuteMs,
  }
  // The database may hang when the step asks it.
  const isStopped = () => (stopsTakeMs === 0 ? stopped : (ctx.clock.advance(stopsTakeMs), Promise.resolve(stopped)))
  const step = await takeStep(
    { ctx, rails, stops: { isStopped }, floats: { covers: async () => true }, absences, floatPatienceMs },
    leased,
  )
  return { step, calls }
}

export const wait = (ms: number, changes: Partial<Wait> = {}): Step => ({
  kind: 'wait',
  ms,
  asks: 0,
  unsent: false,
  ...changes,
})

/** The payment is given back with the rail's answer. */
export function said(railAnswer: LastAnswer): typeof wait {
  return (ms, changes) => wait(ms, { ...changes, railAnswer })
}

export const settle = (...results: Extract<Step, { kind: 'settle' }>['results']): Step => ({ kind: 'settle', results })
