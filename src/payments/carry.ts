// Carrying payments from acceptance to their end. The process that accepts a payment keeps it in its hand: it sends it
// on and asks for the outcome without writing in between, under the lease that the row was born with. What takes
// longer than the lease, what is too much for the hand, and what a dead process held is taken up by the loop, which
// claims due rows. Both take the same steps (advance.ts), and both end in the lane (record.ts).

import { present } from '#base/assert.ts'
import { within } from '#base/clock.ts'
import { environments, type Context, type Environment } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import type { Lane } from '#base/lane.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { Hand } from './hand.ts'
import { paymentKinds, type Payment, type PaymentKind } from './payment.ts'
import { createRecorder } from './record.ts'
import { submitLeaseMsOf } from './rail-turn.ts'
import type { Settling } from './settle.ts'
import { claimPayments } from './sql.ts'

export type Carrier = {
  /** How long the accepting process may keep a new payment; 0 when it should not. */
  keepMs(kind: PaymentKind, environment: Environment): number
  /** Takes a new payment in hand. Returns at once. */
  take(payment: Payment, environment: Environment): void
  /** Claims due payments of a lane and takes a step with each; resolves with how many there were. */
  work(lane: number): Promise<number>
  /** Gives back what is in hand, so that another process goes on with it at once. */
  release(): Promise<void>
}

export type CarrierOptions = {
  ctx: Context
  rails: RailRegistry
  laneOf: (lane: number) => Lane
  settling: Settling
  carries: boolean
  inHandMax?: number | undefined
}

const inHandMaxDefault = 20_000
const claimsMax = 512
/** A lease is longer than a submission can take by this much. */
const leaseSlackMs = 10_000
/** A turn of the loop waits this long for slow rails. Their answers are still awaited after it, but hold up nobody. */
const turnMsMax = 1_000
/** A process that stops waits this long for answers of rails. What takes longer is taken up when its lease ends. */
const releaseMsMax = 20_000

export function createCarrier({
  ctx,
  rails,
  laneOf,
  settling,
  carries,
  inHandMax = inHandMaxDefault,
}: CarrierOptions): Carrier {
  const { record } = createRecorder(ctx, laneOf, settling)
  const hand = new Hand({
    ctx,
    rails,
    record,
    submitMs: ({ environment, payment }) => submitLeaseMsOf(rails, environment, payment.kind),
  })
  let released = false

  const leaseMs = (kind: PaymentKind, environment: Environment): number =>
    submitLeaseMsOf(rails, environment, kind) + leaseSlackMs
  /** What is claimed may be of any kind. */
  const claimLeaseMs = (): number =>
    Math.max(...environments.flatMap((environment) => paymentKinds.map((kind) => leaseMs(kind, environment))))

  return {
    keepMs: (kind, environment) => (carries && !released && hand.size < inHandMax ? leaseMs(kind, environment) : 0),
    take(payment, environment) {
      const submittedAt = present(payment.submittedAt, 'what is kept in hand counts as submitted')
      const leaseEnd = new Date(submittedAt.getTime() + leaseMs(payment.kind, environment))
      void hand.hold({ payment, environment, sentBefore: false, leaseEnd })
    },
    async work(lane) {
      const nowMs = ctx.clock.now()
      const leaseEnd = new Date(nowMs + claimLeaseMs())
      const limit = Math.min(claimsMax, Math.max(0, inHandMax - hand.size))
      const claimed = await claimPayments(inLane(ctx.db, lane), new Date(nowMs), leaseEnd, limit)
      await within(turnMsMax, Promise.all(claimed.map((claim) => hand.hold({ ...claim, leaseEnd }))))
      return claimed.length
    },
    async release() {
      released = true
      await within(releaseMsMax, hand.release())
    },
  }
}
