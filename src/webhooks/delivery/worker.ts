// The delivery worker sends stored deliveries to their receivers. The process that writes a delivery leases it in the same
// insert and sends it at once. The loop claims the rest: deliveries that did not fit in memory, retries, and the leases of
// dead processes. Both kinds wait in the scheduler for their turn and end in the recorder. `#deliver` shows the steps.

import { setTimeout as delay } from 'node:timers/promises'
import { within } from '#platform/clock.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import type { DeliveryInHand, Handover } from '#events/dispatch.ts'
import { Admission, type AdmissionLimits, type Flight } from './scheduler.ts'
import { createClaim, type Claim, type Turn, findForAttempt } from './claims.ts'
import { isLate, leaseMsOf, noLease } from './retry-schedule.ts'
import type { Recorder } from './record.ts'
import type { Send, Sent } from './attempt.ts'

export type Engine = Handover & {
  /** Claims due deliveries of a lane, as many as the scheduler can take. */
  work(lane: number): Promise<Turn>
  /** Makes one attempt outside the schedule and records it. Resolves with undefined if there is no receiver. */
  sendNow(tenant: Tenant, deliveryId: Uuid): Promise<Sent | undefined>
  /** Makes the loops of this process look for due deliveries at once. */
  wake(): void
  /** `wake` calls it, and the worker does when it can take deliveries again that did not fit before. */
  onWake(listener: () => void): void
  /** Begins no more attempts, gives back waiting deliveries and waits a limited time for attempts in flight. */
  release(): Promise<void>
}

export type EngineOptions = {
  ctx: Context
  send: Send
  /** Sends for `sendNow`, whose caller waits for the result. */
  sendTest: Send
  recorder: Recorder
  /** If false, this process sends only what `sendNow` requests. */
  carries: boolean
  /** The longest that an attempt can take. */
  attemptMs: number
  limits?: Partial<AdmissionLimits> | undefined
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

export function createEngine(options: EngineOptions): Engine {
  return new Sender(options)
}

class Sender implements Engine {
  readonly #options: EngineOptions
  readonly #leaseMs: number
  readonly #admission: Admission<DeliveryInHand>
  readonly #claim: Claim
  readonly #listeners: (() => void)[] = []
  /** Work that `release` waits for: attempts until they are recorded, and deliveries being given back. */
  readonly #going = new Set<Promise<unknown>>()
  #unrecorded = 0
  readonly #leftBehind = new Set<Uuid>()
  #wakeTimer: NodeJS.Timeout | undefined
  #released = false

  constructor(options: EngineOptions) {
    this.#options = options
    this.#leaseMs = leaseMsOf(options.attemptMs)
    this.#admission = new Admission(options.limits)
    const { ctx } = options
    this.#claim = createClaim({
      ctx,
      leaseMs: this.#leaseMs,
      room: (subscriptionId) => this.#admission.room(subscriptionId, ctx.clock.now()),
      roomInAll: () => this.#admission.roomInAll(),
      take: (deliveries) => this.#hold(deliveries, { promised: false }),
      leftBehind: (subscriptionId) => {
        this.#leftBehind.add(subscriptionId)
        return this.#admission.isHungry(subscriptionId)
      },
    })
  }

  keepMs(subscriptionId: Uuid): number {
    if (!this.#options.carries || this.#released) return 0
    if (this.#admission.promise(subscriptionId, this.#nowMs())) return this.#leaseMs
    this.#leftBehind.add(subscriptionId)
    return 0
  }

  take(deliveries: DeliveryInHand[]): void {
    this.#hold(deliveries, { promised: true })
  }

  work(lane: number): Promise<Turn> {
    return this.#released ? Promise.resolve({ rows: 0, more: false }) : this.#claim(lane)
  }

  async sendNow(tenant: Tenant, deliveryId: Uuid): Promise<Sent | undefined> {
    const delivery = await findForAttempt(inLane(this.#options.ctx.db, tenant.lane), tenant.id, deliveryId)
    return delivery === undefined ? undefined : this.#follow(this.#sendAndSettle(delivery))
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
    this.#giveBack(this.#admission.takeBack())
    const ended = this.#end()
    if (!(await within(answersMsMax, ended))) this.#options.interrupt()
    await within(recordsMsMax, ended)
  }

  /** Repeats, because work that ends may begin other work: a record or a give-back. */
  async #end(): Promise<void> {
    while (this.#going.size > 0) await Promise.allSettled(this.#going)
  }

  #hold(deliveries: DeliveryInHand[], { promised }: { promised: boolean }): void {
    for (const delivery of deliveries) {
      const { subscriptionId, failing } = delivery.receiver
      this.#admission.add(subscriptionId, delivery, { promised, failing })
    }
    if (this.#released) this.#giveBack(this.#admission.takeBack())
    else this.#begin()
  }

  /** Begins all attempts that the scheduler allows. */
  #begin(): void {
    const nowMs = this.#nowMs()
    for (;;) {
      const held = this.#released || this.#unrecorded >= unrecordedMax
      const flight = held ? undefined : this.#admission.next(nowMs)
      if (flight === undefined) break
      void this.#follow(this.#carry(flight))
    }
    const { webhooksUnderWay, webhooksWaiting } = this.#options.ctx.metrics
    webhooksUnderWay.set(this.#admission.underWay)
    webhooksWaiting.set(this.#admission.waiting)
  }

  /** Sends one delivery and records the result. */
  async #carry(flight: Flight<DeliveryInHand>): Promise<void> {
    const { item: delivery } = flight
    if (isLate(delivery.leaseEnd, this.#options.attemptMs, this.#nowMs())) {
      this.#admission.abandon(flight)
      this.#giveBack([delivery])
      return
    }
    const sent = await this.#attempt(this.#options.send, delivery)
    const spared = this.#free(flight, sent)
    await this.#settle(delivery, sent)
    this.#giveBack(spared)
  }

  /** Sends outside the scheduler, because the business waits. An interrupted attempt has no lease to give back. */
  async #sendAndSettle(delivery: DeliveryInHand): Promise<Sent> {
    const sent = await this.#attempt(this.#options.sendTest, delivery)
    await this.#settle(delivery, sent)
    return sent
  }

  async #attempt(send: Send, delivery: DeliveryInHand): Promise<Sent> {
    const { ctx } = this.#options
    const startedAt = new Date(ctx.clock.now())
    try {
      return await send(delivery)
    } catch (error) {
      ctx.log.error({ ...namesOf(delivery), err: error }, 'a delivery could not be prepared; it is tried again later')
      const told = 'The delivery could not be prepared: the fault is on our side.'
      return { outcome: 'failed', startedAt, durationMs: 0, responseCode: null, error: told, responseBody: null }
    }
  }

  /** Frees the slot for the next delivery. Returns the deliveries that no longer need to wait for this receiver. */
  #free(flight: Flight<DeliveryInHand>, sent: Sent): DeliveryInHand[] {
    const { subscriptionId } = flight.item.receiver
    // The receiver is gone: its waiting deliveries are given back after this is recorded, and then parked.
    const spared = sent.outcome === 'gone' ? this.#admission.takeBack(subscriptionId) : []
    this.#admission.end(flight, sent.outcome === 'delivered', this.#nowMs())
    this.#begin()
    this.#lookAgain(subscriptionId)
    return spared
  }

  async #settle(delivery: DeliveryInHand, sent: Sent): Promise<void> {
    if (sent.outcome === 'interrupted') {
      if (delivery.leaseEnd !== noLease) this.#giveBack([delivery])
      return
    }
    this.#unrecorded++
    try {
      await this.#record(delivery, sent)
    } finally {
      this.#unrecorded--
      if (this.#unrecorded === unrecordedMax - 1) this.#begin()
    }
  }

  /** Retries while the database is unavailable, until the lease ends; then the delivery is sent again anyway. */
  async #record(delivery: DeliveryInHand, sent: Sent): Promise<void> {
    const { ctx, recorder } = this.#options
    const { manual, leaseEnd } = delivery
    const ended = { ...sent, endedAt: new Date(this.#nowMs()), manual, leaseEnd }
    for (let again = false; ; again = true) {
      try {
        const { disabled } = await recorder.record({ delivery, ended, again })
        if (disabled) this.#giveBack(this.#admission.takeBack(delivery.receiver.subscriptionId))
        return
      } catch (error) {
        if (this.#released || this.#nowMs() + recordPauseMs > leaseEnd.getTime()) {
          const next =
            delivery.leaseEnd === noLease
              ? 'nobody sends it again'
              : 'another process sends it again when the lease ends'
          ctx.log.warn({ ...namesOf(delivery), err: error }, `an attempt was not recorded; ${next}`)
          return
        }
        await delay(recordPauseMs)
      }
    }
  }

  #giveBack(deliveries: DeliveryInHand[]): void {
    const { ctx, recorder } = this.#options
    for (const delivery of deliveries) {
      const given = recorder.giveBack(delivery).catch((error: unknown) => {
        const next = 'another process sends it when the lease ends'
        ctx.log.warn({ ...namesOf(delivery), err: error }, `a delivery was not given back; ${next}`)
      })
      void this.#follow(given)
    }
  }

  /** Makes `release` wait for this work. */
  #follow<T>(work: Promise<T>): Promise<T> {
    const going = Promise.allSettled([work])
    this.#going.add(going)
    void going.finally(() => this.#going.delete(going))
    return work
  }

  /** Wakes the loop if the subscription is doing well and more of its deliveries wait in the database. */
  #lookAgain(subscriptionId: Uuid): void {
    if (this.#released || this.#wakeTimer !== undefined || !this.#leftBehind.has(subscriptionId)) return
    if (!this.#admission.isHungry(subscriptionId)) return
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
function namesOf({ id, receiver }: DeliveryInHand): { delivery: string; webhook: string } {
  return { delivery: formatId('event', id), webhook: formatId('webhook', receiver.subscriptionId) }
}
