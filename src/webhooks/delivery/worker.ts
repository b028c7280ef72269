// The delivery worker sends stored deliveries to their receivers. A process leases the deliveries that it writes, as
// far as they fit in memory, and sends them at once. The loop claims the others, the retries, and the deliveries of
// dead processes.

import { setTimeout as delay } from 'node:timers/promises'
import { finishesWithin } from '#platform/concurrency.ts'
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
  /** Claims due deliveries of a lane and queues them. */
  work(lane: number): Promise<Turn>
  /** Makes one attempt outside the schedule. Undefined if the delivery or its subscription was deleted. */
  sendNow(tenant: Tenant, deliveryId: Uuid): Promise<AttemptResult | undefined>
  /** Makes the loops of this process look for due deliveries at once. */
  wake(): void
  onWake(listener: () => void): void
  release(): Promise<void>
}

export type DeliveryWorkerOptions = {
  ctx: Context
  send: SendAttempt
  /** Sends for `sendNow`, whose caller waits for the result. */
  sendTest: SendAttempt
  recorder: Recorder
  leasesNew: boolean
  attemptMs: number
  limits?: Partial<SchedulerLimits> | undefined
  interrupt: () => void
}

/** Wake-ups within this time become one, because each costs a query. */
const wakePauseMs = 20
/** A stopping process waits this long for responses, then for records. Supervisors kill it after ten seconds. */
const answersMsMax = 4_000
const recordsMsMax = 2_000
const recordPauseMs = 1_000
/** No scheduled attempt begins while this many results are not recorded yet, so that the database sets the pace. */
const unrecordedMax = 1_024
/**
 * Signing and sending a delivery takes about 50 µs, and one batch may bring hundreds of deliveries. With this limit of
 * attempts that begin in one turn of the event loop, requests and the next batch wait for about a millisecond.
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
  /** Subscriptions with deliveries that did not fit in memory and wait in the database. */
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

  /** Repeats, because an attempt that ends may give deliveries back. */
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

  #beginTurn(): void {
    const mayBeMore = this.#begunInTurn >= begunPerTurnMax
    this.#begunInTurn = 0
    if (mayBeMore) this.#begin()
  }

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
      ctx.log.error(
        { ...publicIdsOf(delivery), err: error },
        'could not prepare a webhook delivery; it is retried later',
      )
      const told = 'The delivery could not be prepared: the fault is on our side.'
      return { outcome: 'failed', startedAt, durationMs: 0, responseCode: null, error: told, responseBody: null }
    }
  }

  #free(flight: InFlightAttempt<LeasedDelivery>, sent: AttemptResult): LeasedDelivery[] {
    const { subscriptionId } = flight.item.receiver
    // If the receiver is gone, takes back its waiting deliveries. The caller records this first and then ends their
    // leases, so that the loop parks them.
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
   * Repeats a failed recording until the lease is about to end, because another process then sends the delivery again.
   * Does not repeat it without a lease, or while this process stops.
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
          ctx.log.warn({ ...publicIdsOf(delivery), err: error }, `could not record a webhook attempt; ${next}`)
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
        ctx.log.warn({ ...publicIdsOf(delivery), err: error }, `could not release a webhook delivery; ${next}`)
      })
      void this.#track(given)
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const end = (): boolean => this.#going.delete(work)
    this.#going.add(work)
    work.then(end, end)
    return work
  }

  /** Wakes the loop if more deliveries of the subscription wait in the database and the scheduler has room for them. */
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

function publicIdsOf({ id, receiver }: DeliveryToSend): { delivery: string; webhook: string } {
  return { delivery: formatId('event', id), webhook: formatId('webhook', receiver.subscriptionId) }
}
