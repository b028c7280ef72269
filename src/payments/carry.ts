// Carrying payments from acceptance to their end. The process that accepts a payment keeps it in memory: it sends it on and
// asks for the outcome without writing in between, under the lease that the row was born with. What takes longer than the
// lease, what a process may not keep, and what a dead process held is taken up by the loop, which claims due rows. Both take
// the same steps (carry-step.ts), and both end in the lane (carry-record.ts).

import { present } from '#base/assert.ts'
import { within } from '#base/clock.ts'
import { environments, type Environment } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { Leases } from './carry-leases.ts'
import type { Means } from './means.ts'
import { paymentKinds, type Payment, type PaymentKind } from './payment.ts'
import { submitLeaseMsOf } from './rail-order.ts'
import { claimPayments } from './sql.ts'

export type Carrier = {
  /** How long the accepting process may keep a new payment; 0 when it should not. */
  keepMs(kind: PaymentKind, environment: Environment): number
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
const claimsMax = 512
/** A lease is longer than a submission can take by this much. */
const leaseSlackMs = 10_000
/** A turn of the loop waits this long for slow rails. It awaits their answers after that, too, but holds up no other turn. */
const turnMsMax = 1_000
/** A process that stops waits this long for answers of rails. Later ones are asked for again when the lease ends. */
const releaseMsMax = 20_000

export function createCarrier(means: Means, { carries, inHandMax = inHandMaxDefault }: CarrierOptions): Carrier {
  const { ctx, rails } = means
  const leases = new Leases(means)
  let released = false

  const leaseMs = (kind: PaymentKind, environment: Environment): number =>
    submitLeaseMsOf(rails, environment, kind) + leaseSlackMs
  /** A claim takes payments of all kinds. */
  const claimLeaseMs = (): number =>
    Math.max(...environments.flatMap((environment) => paymentKinds.map((kind) => leaseMs(kind, environment))))

  return {
    keepMs: (kind, environment) => (carries && !released && leases.size < inHandMax ? leaseMs(kind, environment) : 0),
    take(payment, environment) {
      const submittedAt = present(payment.submittedAt, 'a payment that is kept counts as submitted')
      const leaseEnd = new Date(submittedAt.getTime() + leaseMs(payment.kind, environment))
      void leases.carry({ payment, environment, sentBefore: false, leaseEnd })
    },
    async work(lane) {
      const nowMs = ctx.clock.now()
      const leaseEnd = new Date(nowMs + claimLeaseMs())
      const limit = Math.min(claimsMax, Math.max(0, inHandMax - leases.size))
      const claimed = await claimPayments(inLane(ctx.db, lane), new Date(nowMs), leaseEnd, limit)
      await within(turnMsMax, Promise.all(claimed.map((leased) => leases.carry(leased))))
      return claimed.length
    },
    async release() {
      released = true
      await within(releaseMsMax, leases.release())
    },
  }
}
