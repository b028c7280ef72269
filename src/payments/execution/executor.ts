// Executes payments from acceptance to their end. The process that accepts a payment keeps it in memory: it submits it and
// polls for the outcome without a write in between, under the lease that the row was inserted with. A loop claims due rows:
// payments that take longer than the lease, that a process may not keep, or that a dead process held. Both take the same steps
// (step.ts), and both record them through the lane (record-step.ts).

import { type LeasedPayment, type Means, takeStep } from './step.ts'
import type { Payment } from '#payments/payment.ts'
import { claimPayments, type Due, findDue } from '#payments/queries.ts'
import { assert, present } from '#platform/assert.ts'
import { finishesWithin } from '#platform/clock.ts'
import type { Context, Environment } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import { railChangeOf } from './failover.ts'
import { submitLeaseMsMaxOf, submitLeaseMsOf, type Way } from './rail-call.ts'
import { changeRail, recordStep } from './record-step.ts'

export type Carrier = {
  /** The accepting process may lease a new payment for this long; 0: it should not. */
  keepMs(way: Way, environment: Environment): number
  /** Takes up a new payment. Returns at once. */
  take(payment: Payment, environment: Environment): void
  /** Claims due payments of a lane and takes a step with each; resolves with how many there were. */
  work(lane: number): Promise<number>
  /** Gives back the payments that it keeps, so that another process goes on with them at once. */
  release(): Promise<void>
}

export type CarrierOptions = {
  /** True if this process also sends the payments that it accepts. */
  carries: boolean
  /** Payments that it may lease at once. */
  inHandMax?: number | undefined
}

const inHandMaxDefault = 20_000
/**
 * Payments of one kind at one rail that one claim takes. Each kind at each rail claims by itself, so none delays
 * another.
 */
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
 * due at a time of its own; if it is due at another one, it was woken, or another process has claimed it.
 */
async function moveOn(means: Means, held: LeasedPayment): Promise<void> {
  const { rail } = held.payment
  try {
    if (rail === null || !(await means.stops.isStopped(rail))) return
    const change = await railChangeOf(means, held, 'stopped')
    if (change !== undefined) await changeRail(means, held, change)
  } catch (error) {
    means.ctx.log.warn({ payment: held.payment.id, err: error }, 'a payment of a stopped rail is looked at again later')
  }
}

// The payments that this process has leased. Each goes on step by step until it ends, is postponed, or is given back. Their
// number is limited, and no rail may use it all: payments of a bank that hangs would stop those of all others.

/** A step that would come this close to the end of the lease is left to the loop. */
const leaseMarginMs = 5_000

/** The timer runs until the next step begins. */
type Carried = { leased: LeasedPayment; timer: NodeJS.Timeout | undefined }

export class Leases {
  #means: Means
  #inHandMax: number
  #carried = new Set<Carried>()
  #perWay = new Map<string, Way & { count: number }>()
  #stepsUnderWay = 0
  #allStepsEnded = Promise.withResolvers<void>()
  #released = false

  constructor(means: Means, inHandMax: number) {
    this.#means = means
    this.#inHandMax = inHandMax
  }

  /** Payments that it can still lease. */
  get room(): number {
    return Math.max(0, this.#inHandMax - this.#carried.size)
  }

  /**
   * Payments of this kind at this rail that may still be leased: as many as they leave free. One rail alone can have
   * half of the leases, two that hang a third each, and there is always room for another. A fixed quarter was too
   * little for one healthy rail: 10 000 transfers a second that take a second each.
   */
  roomFor(way: Way): number {
    return this.#shareBeside(this.#perWay.get(keyOf(way))?.count ?? 0)
  }

  /** The most of a kind and a rail that has no leased payment. */
  get roomForNew(): number {
    return this.#shareBeside(0)
  }

  #shareBeside(held: number): number {
    return Math.max(0, Math.ceil((this.room - held) / 2))
  }

  /** The kinds and rails of the leased payments. */
  get ways(): Way[] {
    return [...this.#perWay.values()]
  }

  /** Resolves after the first step. */
  carry(leased: LeasedPayment): Promise<void> {
    const carried: Carried = { leased, timer: undefined }
    this.#hold(carried)
    return this.#go(carried)
  }

  /** No step begins any more; payments that wait for one are given back. Resolves when every step under way has ended. */
  async release(): Promise<void> {
    this.#released = true
    if (this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
    await Promise.all([this.#giveBack(), this.#allStepsEnded.promise])
  }

  /** After any error the row stays due at the end of its lease, and the loop claims it then. */
  async #go(carried: Carried): Promise<void> {
    carried.timer = undefined
    this.#stepsUnderWay += 1
    try {
      await this.#step(carried)
    } catch (error) {
      this.#drop(carried)
      const about = { payment: carried.leased.payment.id, err: error }
      this.#means.ctx.log.warn(about, 'a payment step failed; another process takes it up when the lease ends')
    }
    this.#stepsUnderWay -= 1
    if (this.#released && this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
  }

  async #step(carried: Carried): Promise<void> {
    const { ctx } = this.#means
    const { leased } = carried
    const next = await takeStep(this.#means, leased)
    const isKept = next.kind === 'wait' && !next.unsent && next.putDown !== true && !this.#released
    if (isKept && ctx.clock.monotonicMs() + next.ms <= leased.leaveBeforeMs - leaseMarginMs) {
      const { payment } = leased
      const after = payment.asks === next.asks ? payment : { ...payment, asks: next.asks }
      carried.leased = { ...leased, sentBefore: true, payment: after }
      carried.timer = setTimeout(() => void this.#go(carried), next.ms)
      return
    }
    this.#drop(carried)
    await recordStep(this.#means, leased, next)
  }

  #hold(carried: Carried): void {
    this.#carried.add(carried)
    const { kind, rail } = carried.leased.payment
    const key = keyOf({ kind, rail })
    const way = this.#perWay.get(key)
    if (way === undefined) this.#perWay.set(key, { kind, rail, count: 1 })
    else way.count += 1
  }

  /** A step that fails while its end is written has been dropped already. */
  #drop(carried: Carried): void {
    if (!this.#carried.delete(carried)) return
    const key = keyOf(carried.leased.payment)
    const way = present(this.#perWay.get(key), 'what is in hand is counted')
    if (way.count === 1) this.#perWay.delete(key)
    else way.count -= 1
  }

  async #giveBack(): Promise<void> {
    const waiting = [...this.#carried].filter(({ timer }) => timer !== undefined)
    for (const carried of waiting) {
      clearTimeout(carried.timer)
      this.#drop(carried)
    }
    const now = { kind: 'wait', ms: 0, unsent: false } as const
    await Promise.allSettled(
      waiting.map(({ leased }) => recordStep(this.#means, leased, { ...now, asks: leased.payment.asks })),
    )
  }
}

function keyOf({ kind, rail }: Way): string {
  return `${kind} ${rail ?? ''}`
}

// Counts due rows for metrics. The count is bounded, so that it costs the same beside a million due rows.

const countedMax = 10_000

export function duePayments({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), countedMax)
}
