// Executes payments from acceptance to their end. The process that accepts a payment keeps it in memory: it submits the
// payment and polls for the outcome without another write, under the lease with which it inserted the row. A loop
// claims the other due rows: payments that outlast the lease, that the accepting process could not lease, or that a
// process had leased when it died. The loop submits only a payment that certainly was not submitted; about any other it
// first asks the rail (`afterNotFound`, schedule.ts). Both ways take the same steps (step.ts) and record them through the lane
// (record-step.ts).

import { type LeasedPayment, type Means, takeStep } from './step.ts'
import type { Payment } from '#payments/payment.ts'
import { claimPayments, queuesWithWork } from '#payments/queries.ts'
import { assert, present } from '#platform/assert.ts'
import { finishesWithin } from '#platform/concurrency.ts'
import type { Context, Environment } from '#platform/context.ts'
import { inLane, statement, type InLane } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import { railChangeOf } from './failover.ts'
import { submitLeaseMsMaxOf, submitLeaseMsOf, type RailQueue } from './rail-call.ts'
import { changeRail, recordStep } from './record-step.ts'

export type Executor = {
  /** How long the accepting process may lease a new payment; 0 if it must not. */
  keepMs(queue: RailQueue, environment: Environment): number
  /** Begins to submit a new payment that this process has leased. */
  take(payment: Payment, environment: Environment, leaseEnd: Date): void
  /** Claims due payments of a lane and takes a step with each; resolves with how many there were. */
  work(lane: number): Promise<number>
  release(): Promise<void>
}

export type ExecutorOptions = {
  /** True if this process also submits the payments that it accepts. */
  leasesNew: boolean
  leasesMax?: number | undefined
}

const leasesMaxDefault = 20_000
/**
 * A claim takes at most this many payments of one kind at one rail. Each kind at each rail is claimed separately, so
 * none delays another.
 */
const claimsMax = 512
/** A lease lasts this much longer than a submission can take. */
const leaseSlackMs = 10_000
/**
 * The end of a brake wakes the payments that it held back (brakes.ts). If a crash interrupts that, the rest become due
 * after this time.
 */
const heldMs = 10 * minuteMs
/**
 * A turn of the loop waits this long for slow rails. Their steps continue after that, without holding up the next turn.
 */
const turnMsMax = 1_000
/**
 * A process that stops waits this long for answers of rails. If an answer comes later, another process asks the rail
 * again when the lease ends.
 */
const releaseMsMax = 20_000

export function createExecutor(means: Means, { leasesNew, leasesMax = leasesMaxDefault }: ExecutorOptions): Executor {
  const { ctx, rails } = means
  const leases = new Leases(means, leasesMax)
  let released = false

  const leaseMs = (queue: RailQueue, environment: Environment): number =>
    submitLeaseMsOf(rails, environment, queue) + leaseSlackMs
  /** The longest lease of all rails, because one statement claims payments of all kinds and rails. */
  const claimLeaseMs = submitLeaseMsMaxOf(rails) + leaseSlackMs
  assert(claimLeaseMs < absenceGraceMs, 'no submission may leave after the grace period that began while it was leased')

  return {
    // Commands that still wait in the lane are not counted, so one batch may slightly exceed the limit on leases.
    keepMs: (queue, environment) =>
      leasesNew && !released && leases.roomFor(queue) > 0 ? leaseMs(queue, environment) : 0,
    take(payment, environment, leaseEnd) {
      const leaveBeforeMs = ctx.clock.monotonicMs() + leaseEnd.getTime() - ctx.clock.now()
      void leases.execute({ payment, environment, sentBefore: false, leaseEnd, leaveBeforeMs })
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
        limitPerQueue: Math.min(claimsMax, leases.roomForNew),
        rooms: leases.queues.map((queue) => ({ ...queue, room: Math.min(claimsMax, leases.roomFor(queue)) })),
      })
      const steps = [...leased.map((one) => leases.execute(one)), ...held.map((one) => moveOn(means, one))]
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
 * A payment that was held back moves to another rail if its own rail is stopped. The move is written only if the row is
 * still due at the time to which this process postponed it; otherwise another process has woken or claimed the payment.
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

// The payments that this process has leased. Each continues step by step until it ends, is postponed, or is returned to
// the loop. Their number is limited, and no rail may use the whole limit, because the payments of a rail that hangs
// would stop those of all other rails.

/** If the next step would come this close to the end of the lease, this process leaves the payment to the loop. */
const leaseMarginMs = 5_000

type Execution = { leased: LeasedPayment; timer: NodeJS.Timeout | undefined }

export class Leases {
  #means: Means
  #leasesMax: number
  #executions = new Set<Execution>()
  #perQueue = new Map<string, RailQueue & { count: number }>()
  #stepsUnderWay = 0
  #allStepsEnded = Promise.withResolvers<void>()
  #released = false

  constructor(means: Means, leasesMax: number) {
    this.#means = means
    this.#leasesMax = leasesMax
  }

  get room(): number {
    return Math.max(0, this.#leasesMax - this.#executions.size)
  }

  /**
   * The number of payments of this kind at this rail that this process can still lease. One kind at one rail may have
   * at most as many leases as it leaves free. If it is alone, that is half of all leases; if two rails hang, each has a
   * third. So there is always room for another rail. A fixed quarter was too little for one healthy rail with 10 000
   * transfers a second that take a second each.
   */
  roomFor(queue: RailQueue): number {
    return this.#shareBeside(this.#perQueue.get(keyOf(queue))?.count ?? 0)
  }

  /** The number of payments that this process can lease of a kind at a rail of which it has leased none yet. */
  get roomForNew(): number {
    return this.#shareBeside(0)
  }

  #shareBeside(held: number): number {
    return Math.max(0, Math.ceil((this.room - held) / 2))
  }

  get queues(): RailQueue[] {
    return [...this.#perQueue.values()]
  }

  /** Resolves after the first step of the payment. */
  execute(leased: LeasedPayment): Promise<void> {
    const execution: Execution = { leased, timer: undefined }
    this.#hold(execution)
    return this.#go(execution)
  }

  /** Begins no more steps, and returns payments that wait for one. Resolves when every step under way has ended. */
  async release(): Promise<void> {
    this.#released = true
    if (this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
    await Promise.all([this.#giveBack(), this.#allStepsEnded.promise])
  }

  /** After an error the row stays due at the end of its lease, and then the loop claims it. */
  async #go(execution: Execution): Promise<void> {
    execution.timer = undefined
    this.#stepsUnderWay += 1
    try {
      await this.#step(execution)
    } catch (error) {
      this.#drop(execution)
      const about = { payment: execution.leased.payment.id, err: error }
      this.#means.ctx.log.warn(about, 'a payment step failed; another process takes it up when the lease ends')
    }
    this.#stepsUnderWay -= 1
    if (this.#released && this.#stepsUnderWay === 0) this.#allStepsEnded.resolve()
  }

  async #step(execution: Execution): Promise<void> {
    const { ctx } = this.#means
    const { leased } = execution
    const next = await takeStep(this.#means, leased)
    // Asks again under the same lease, without a write. Every other result is recorded.
    const isKept = next.kind === 'wait' && !next.unsent && next.postpone !== true && !this.#released
    if (isKept && ctx.clock.monotonicMs() + next.ms <= leased.leaveBeforeMs - leaseMarginMs) {
      const { payment } = leased
      const after = payment.asks === next.asks ? payment : { ...payment, asks: next.asks }
      execution.leased = { ...leased, sentBefore: true, payment: after }
      execution.timer = setTimeout(() => void this.#go(execution), next.ms)
      return
    }
    this.#drop(execution)
    await recordStep(this.#means, leased, next)
  }

  #hold(execution: Execution): void {
    this.#executions.add(execution)
    const { kind, rail } = execution.leased.payment
    const key = keyOf({ kind, rail })
    const queue = this.#perQueue.get(key)
    if (queue === undefined) this.#perQueue.set(key, { kind, rail, count: 1 })
    else queue.count += 1
  }

  /** Returns at once if the payment was already removed, because its step failed while the result was written. */
  #drop(execution: Execution): void {
    if (!this.#executions.delete(execution)) return
    const key = keyOf(execution.leased.payment)
    const queue = present(this.#perQueue.get(key), 'what is leased is counted')
    if (queue.count === 1) this.#perQueue.delete(key)
    else queue.count -= 1
  }

  async #giveBack(): Promise<void> {
    const waiting = [...this.#executions].filter(({ timer }) => timer !== undefined)
    for (const execution of waiting) {
      clearTimeout(execution.timer)
      this.#drop(execution)
    }
    const now = { kind: 'wait', ms: 0, unsent: false } as const
    await Promise.allSettled(
      waiting.map(({ leased }) => recordStep(this.#means, leased, { ...now, asks: leased.payment.asks })),
    )
  }
}

function keyOf({ kind, rail }: RailQueue): string {
  return `${kind} ${rail ?? ''}`
}

// Counts due payments that no process has claimed, for metrics, up to a limit, so that the cost is the same beside a million due rows.

const countedMax = 10_000

// Reads only the index payment_due_by_way (lane, kind, rail, due_at): one probe for each rail queue with unfinished
// payments, then at most $3 entries of that queue. With 1 000 000 due rows this takes 2 ms, and 50 ms before vacuum.
const dueByQueue = statement(
  'payments.due',
  `with recursive ${queuesWithWork}
   select coalesce(sum(found.count), 0)::int as count, min(found.oldest) as oldest
     from queue cross join lateral (
       select count(*) as count, min(due_at) as oldest from (
         select due_at from payment
          where lane = $1 and kind = queue.kind and rail = queue.rail and due_at <= $2
          order by due_at limit $3) as first) as found`,
)

type Due = { count: number; oldest: Date | null }

/** `limit`: the highest number of payments that is counted for each kind at each rail. */
export async function findDue(db: InLane, now: Date, limit: number): Promise<Due> {
  const [row] = await db.query<Due>(dueByQueue, [db.lane, now, limit])
  return row ?? { count: 0, oldest: null }
}

export function duePayments({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), countedMax)
}
