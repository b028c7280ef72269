// The delivery worker sends stored deliveries to their receivers. The process that writes a delivery leases it in the same
// insert and sends it at once. The loop claims the rest: deliveries that did not fit in memory, retries, and the leases of
// dead processes. Both kinds wait in the scheduler for their turn and end in the recorder. `#deliver` shows the steps.

import { setTimeout as delay } from 'node:timers/promises'
import { finishesWithin } from '#platform/clock.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import type { DeliveryToSend, InProcessDispatch, LeasedDelivery } from '#events/outbox.ts'
import { DeliveryScheduler, type SchedulerLimits, type InFlightAttempt } from './scheduler.ts'
import { createClaim, type Claim, type Turn, findForAttempt } from './claims.ts'
import { isLate, leaseMsOf } from './retry-schedule.ts'
import type { Recorder } from './record.ts'
import type { SendAttempt, AttemptResult } from './attempt.ts'

export type DeliveryWorker = InProcessDispatch & {
  /** Claims due deliveries of a lane, as many as the scheduler can take. */
  work(lane: number): Promise<Turn>
  /** Makes one attempt outside the schedule and records it. Resolves with undefined if there is no receiver. */
  sendNow(tenant: Tenant, deliveryId: Uuid): Promise<AttemptResult | undefined>
  /** Makes the loops of this process look for due deliveries at once. */
  wake(): void
  /** The listener is called by `wake`, and when deliveries that did not fit in memory before fit again. */
  onWake(listener: () => void): void
  /** Begins no more attempts, gives back waiting deliveries and waits a limited time for attempts in flight. */
  release(): Promise<void>
}

export type DeliveryWorkerOptions = {
  ctx: Context
  send: SendAttempt
  /** Sends for `sendNow`, whose caller waits for the result. */
  sendTest: SendAttempt
  recorder: Recorder
  /** If false, this process sends only what `sendNow` requests. */
  leasesNew: boolean
  /** The longest that an attempt can take. */
  attemptMs: number
  limits?: Partial<SchedulerLimits> | undefined
  /** Ends every attempt under way. */
  interrupt: () => void
}

/** Each wake-up costs a query. */
const wakePauseMs = 20
/** A stopping process waits this long for responses, then for records. Supervisors kill it after ten seconds. */
const answersMsMax = 4_000
const recordsMsMax = 2_000
const recordPauseMs = 1_000
/** No attempt begins while this many results are not recorded yet, so that the database sets the pace. */
const unrecordedMax = 1_024
/**
 * A batch may leave hundreds of deliveries at once, and signing and sending one takes about 50 µs. So this many attempts
 * begin in one turn of the event loop: requests and the next batch wait a millisecond for them, not for all.
 */
const begunPerTurnMax = 16

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  return new ScheduledWorker(options)
}

class ScheduledWorker implements DeliveryWorker {
  readonly #options: DeliveryWorkerOptions
  readonly #leaseMs: number
  readonly #scheduler: DeliveryScheduler<LeasedDelivery>
  readonly #claim: Claim
  readonly #listeners: (() => void)[] = []
  /** Work that `release` waits for: attempts until they are recorded, and deliveries being given back. */
  readonly #going = new Set<Promise<unknown>>()
  #unrecorded = 0
  #begunInTurn = 0
  /** The subscriptions whose deliveries found no place here and wait in the database. */
  readonly #leftBehind = new Set<Uuid>()
  #wakeTimer: NodeJS.Timeout | undefined
  #released = false

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options
    this.#leaseMs = leaseMsOf(options.attemptMs)
    this.#scheduler = new DeliveryScheduler(options.limits)
    const { ctx } = options
    this.#claim = createClaim({
      ctx,
      leaseMs: this.#leaseMs,
      room: (subscriptionId) => this.#scheduler.room(subscriptionId, ctx.clock.now()),
      roomInAll: () => this.#scheduler.roomInAll(),
      take: (deliveries) => this.#enqueue(deliveries, { promised: false }),
      leftBehind: (subscriptionId) => {
        this.#leftBehind.add(subscriptionId)
        return this.#scheduler.isHungry(subscriptionId)
      },
    })
  }

  keepMs(subscriptionId: Uuid): number {
    if (!this.#options.leasesNew || this.#released) return 0
    if (this.#scheduler.promise(subscriptionId, this.#nowMs())) return this.#leaseMs
    this.#leftBehind.add(subscriptionId)
    return 0
  }

  take(deliveries: LeasedDelivery[]): void {
    this.#enqueue(deliveries, { promised: true })
  }

  work(lane: number): Promise<Turn> {
    return this.#released ? Promise.resolve({ rows: 0, more: false }) : this.#claim(lane)
  }

  async sendNow(tenant: Tenant, deliveryId: Uuid): Promise<AttemptResult | undefined> {
    const delivery = await findForAttempt(inLane(this.#options.ctx.db, tenant.lane), tenant.id, deliveryId)
    return delivery === undefined ? undefined : this.#track(this.#sendAndRecord(delivery))
  }

  wake(): void {
    for (const listener of this.#listeners) listener()
  }

  onWake(listener: () => void): void {
    this.#listeners.push(listener)
  }

  async release(): Promise<void> {
    this.#released = true
    clearTimeout(this.#wakeTimer)
    this.#giveBack(this.#scheduler.takeBack())
    const ended = this.#end()
    if (!(await finishesWithin(answersMsMax, ended))) this.#options.interrupt()
    await finishesWithin(recordsMsMax, ended)
  }

  /** Repeats, because work that ends may begin other work: a record or a give-back. */
  async #end(): Promise<void> {
    while (this.#going.size > 0) await Promise.allSettled(this.#going)
  }

  #enqueue(deliveries: LeasedDelivery[], { promised }: { promised: boolean }): void {
    for (const delivery of deliveries) {
      const { subscriptionId, failing } = delivery.receiver
      this.#scheduler.add(subscriptionId, delivery, { promised, failing })
    }
    if (this.#released) this.#giveBack(this.#scheduler.takeBack())
    else this.#begin()
  }

  /** Begins the attempts that the scheduler allows. What is left of a turn begins in the next one. */
  #begin(): void {
    const nowMs = this.#nowMs()
    while (!this.#released && this.#unrecorded < unrecordedMax && this.#begunInTurn < begunPerTurnMax) {
      const flight = this.#scheduler.next(nowMs)
      if (flight === undefined) break
      this.#begunInTurn++
      if (this.#begunInTurn === 1) setImmediate(() => this.#beginTurn())
      void this.#track(this.#deliver(flight))
    }
    const { webhooksUnderWay, webhooksWaiting } = this.#options.ctx.metrics
    webhooksUnderWay.set(this.#scheduler.underWay)
    webhooksWaiting.set(this.#scheduler.waiting)
  }

  /** Runs once a turn, and goes on if the turn before began as many as it may. */
  #beginTurn(): void {
    const mayBeMore = this.#begunInTurn >= begunPerTurnMax
    this.#begunInTurn = 0
    if (mayBeMore) this.#begin()
  }

  /** Sends one delivery and records the result. */
  async #deliver(flight: InFlightAttempt<LeasedDelivery>): Promise<void> {
    const { item: delivery } = flight
    if (isLate(delivery.leaseEnd, this.#options.attemptMs, this.#nowMs())) {
      this.#scheduler.abandon(flight)
      this.#giveBack([delivery])
      return
    }
    const sent = await this.#attempt(this.#options.send, delivery)
    const returned = this.#free(flight, sent)
    if (sent.outcome === 'interrupted') this.#giveBack([delivery])
    else await this.#recordResult(delivery, sent, delivery.leaseEnd)
    this.#giveBack(returned)
  }

  /** Sends outside the scheduler and without a lease, because the business waits. */
  async #sendAndRecord(delivery: DeliveryToSend): Promise<AttemptResult> {
    const sent = await this.#attempt(this.#options.sendTest, delivery)
    if (sent.outcome !== 'interrupted') await this.#recordResult(delivery, sent, null)
    return sent
  }

  async #attempt(send: SendAttempt, delivery: DeliveryToSend): Promise<AttemptResult> {
    const { ctx } = this.#options
    const startedAt = new Date(ctx.clock.now())
    try {
      return await send(delivery)
    } catch (error) {
      ctx.log.error({ ...namesOf(delivery), err: error }, 'could not prepare a webhook delivery; it is retried later')
      const told = 'The delivery could not be prepared: the fault is on our side.'
      return { outcome: 'failed', startedAt, durationMs: 0, responseCode: null, error: told, responseBody: null }
    }
  }

  /** Frees the slot for the next delivery. Returns the deliveries that no longer need to wait for this receiver. */
  #free(flight: InFlightAttempt<LeasedDelivery>, sent: AttemptResult): LeasedDelivery[] {
    const { subscriptionId } = flight.item.receiver
    // The receiver is gone: its waiting deliveries are given back after this is recorded, and then parked.
    const returned = sent.outcome === 'gone' ? this.#scheduler.takeBack(subscriptionId) : []
    this.#scheduler.end(flight, sent.outcome === 'delivered', this.#nowMs())
    this.#begin()
    this.#wakeIfHungry(subscriptionId)
    return returned
  }

  async #recordResult(delivery: DeliveryToSend, sent: AttemptResult, leaseEnd: Date | null): Promise<void> {
    this.#unrecorded++
    try {
      await this.#record(delivery, sent, leaseEnd)
    } finally {
      this.#unrecorded--
      if (this.#unrecorded === unrecordedMax - 1) this.#begin()
    }
  }

  /**
   * Retries while the database is unavailable, until the lease ends; then the delivery is sent again anyway. An attempt
   * without a lease is recorded at once or not at all.
   */
  async #record(delivery: DeliveryToSend, sent: AttemptResult, leaseEnd: Date | null): Promise<void> {
    const { ctx, recorder } = this.#options
    const ended = { ...sent, endedAt: new Date(this.#nowMs()), manual: delivery.manual, leaseEnd }
    for (let again = false; ; again = true) {
      try {
        const { disabled } = await recorder.record({ delivery, ended, again })
        if (disabled) this.#giveBack(this.#scheduler.takeBack(delivery.receiver.subscriptionId))
        return
      } catch (error) {
        if (leaseEnd === null || this.#released || this.#nowMs() + recordPauseMs > leaseEnd.getTime()) {
          const next = leaseEnd === null ? 'it is not sent again' : 'another process sends it again when the lease ends'
          ctx.log.warn({ ...namesOf(delivery), err: error }, `could not record a webhook attempt; ${next}`)
          return
        }
        await delay(recordPauseMs)
      }
    }
  }

  #giveBack(deliveries: LeasedDelivery[]): void {
    const { ctx, recorder } = this.#options
    for (const delivery of deliveries) {
      const given = recorder.giveBack(delivery).catch((error: unknown) => {
        const next = 'another process sends it when the lease ends'
        ctx.log.warn({ ...namesOf(delivery), err: error }, `could not release a webhook delivery; ${next}`)
      })
      void this.#track(given)
    }
  }

  /** Makes `release` wait for this work. */
  #track<T>(work: Promise<T>): Promise<T> {
    const end = (): boolean => this.#going.delete(work)
    this.#going.add(work)
    work.then(end, end)
    return work
  }

  /** Wakes the loop if the subscription is doing well and more of its deliveries wait in the database. */
  #wakeIfHungry(subscriptionId: Uuid): void {
    if (this.#released || this.#wakeTimer !== undefined || !this.#leftBehind.has(subscriptionId)) return
    if (!this.#scheduler.isHungry(subscriptionId)) return
    this.#wakeTimer = setTimeout(() => {
      this.#wakeTimer = undefined
      this.#leftBehind.clear()
      this.wake()
    }, wakePauseMs)
  }

  #nowMs(): number {
    return this.#options.ctx.clock.now()
  }
}

/** Public ids for log messages. */
function namesOf({ id, receiver }: DeliveryToSend): { delivery: string; webhook: string } {
  return { delivery: formatId('event', id), webhook: formatId('webhook', receiver.subscriptionId) }
}
