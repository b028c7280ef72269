// Carrying payments from acceptance to their end. The process that accepts a payment keeps it in memory: it sends it on and
// asks for the outcome without writing in between, under the lease that the row was born with. What takes longer than the
// lease, what a process may not keep, and what a dead process held is taken up by the loop, which claims due rows. Both take
// the same steps (carry-step.ts), and both end in the lane (carry-record.ts).

import { assert, present } from '#platform/assert.ts'
import { finishesWithin } from '#platform/clock.ts'
import type { Environment } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { Means } from '#payments/deps.ts'
import type { Payment } from '#payments/payment.ts'
import { claimPayments } from '#payments/queries.ts'
import { Leases } from './leases.ts'
import { changeRail } from './record-step.ts'
import type { Leased } from './step.ts'
import { railChangeOf } from './failover.ts'
import { submitLeaseMsMaxOf, submitLeaseMsOf, type Way } from './rail-call.ts'

export type Carrier = {
  /** How long the accepting process may keep a new payment; 0 when it should not. */
  keepMs(way: Way, environment: Environment): number
  /** Takes up a new payment. Returns at once. */
  take(payment: Payment, environment: Environment): void
  /** Claims due payments of a lane and takes a step with each; resolves with how many there were. */
  work(lane: number): Promise<number>
  /** Gives back the payments that it keeps, so that another process goes on with them at once. */
  release(): Promise<void>
}

export type CarrierOptions = {
  /** Whether this process also sends on what it accepts. */
  carries: boolean
  /** How many payments it may keep at once. */
  inHandMax?: number | undefined
}

const inHandMaxDefault = 20_000
/** Of payments of one kind at one rail. Each claims as if it were alone, so that none costs another its turn. */
const claimsMax = 512
/** A lease is longer than a submission can take by this much. */
const leaseSlackMs = 10_000
/** Lifting a pause wakes what it held back (brakes.ts). This is for those whom a crash in the middle of that forgot. */
const heldMs = 10 * minuteMs
/** A turn of the loop waits this long for slow rails. It awaits their answers after that, too, but holds up no other turn. */
const turnMsMax = 1_000
/** A process that stops waits this long for answers of rails. Later ones are asked for again when the lease ends. */
const releaseMsMax = 20_000

export function createCarrier(means: Means, { carries, inHandMax = inHandMaxDefault }: CarrierOptions): Carrier {
  const { ctx, rails } = means
  const leases = new Leases(means, inHandMax)
  let released = false

  const leaseMs = (way: Way, environment: Environment): number =>
    submitLeaseMsOf(rails, environment, way) + leaseSlackMs
  /** A claim takes payments of all kinds and rails. */
  const claimLeaseMs = submitLeaseMsMaxOf(rails) + leaseSlackMs
  assert(claimLeaseMs < absenceGraceMs, 'no submission may leave after the grace period that began while it was leased')

  return {
    keepMs: (way, environment) => (carries && !released && leases.roomFor(way) > 0 ? leaseMs(way, environment) : 0),
    take(payment, environment) {
      const submittedAt = present(payment.submittedAt, 'a payment that is kept counts as submitted')
      const leaseEnd = new Date(submittedAt.getTime() + leaseMs(payment, environment))
      const leaveBeforeMs = ctx.clock.monotonicMs() + leaseEnd.getTime() - ctx.clock.now()
      void leases.carry({ payment, environment, sentBefore: false, leaseEnd, leaveBeforeMs })
    },
    async work(lane) {
      const nowMs = ctx.clock.now()
      const leaveBeforeMs = ctx.clock.monotonicMs() + claimLeaseMs
      const { leased, held } = await claimPayments(inLane(ctx.db, lane), {
        now: new Date(nowMs),
        leaseEnd: new Date(nowMs + claimLeaseMs),
        leaveBeforeMs,
        heldUntil: new Date(nowMs + heldMs),
        limit: leases.room,
        limitPerWay: Math.min(claimsMax, leases.roomForNew),
        rooms: leases.ways.map((way) => ({ ...way, room: Math.min(claimsMax, leases.roomFor(way)) })),
      })
      const steps = [...leased.map((one) => leases.carry(one)), ...held.map((one) => moveOn(means, one))]
      await finishesWithin(turnMsMax, Promise.all(steps))
      return steps.length
    },
    async release() {
      released = true
      await finishesWithin(releaseMsMax, leases.release())
    },
  }
}

/**
 * A payment that was held back goes to another rail when its own is stopped. Its row says that it never left, and that it is
 * due at a time of its own; when it is due at another one, somebody has woken it, or taken it up.
 */
async function moveOn(means: Means, held: Leased): Promise<void> {
  const { rail } = held.payment
  try {
    if (rail === null || !(await means.stops.isStopped(rail))) return
    const change = await railChangeOf(means, held, 'stopped')
    if (change !== undefined) await changeRail(means, held, change)
  } catch (error) {
    means.ctx.log.warn({ payment: held.payment.id, err: error }, 'a payment of a stopped rail is looked at again later')
  }
}
