// Carries written deliveries to their receivers. The process that writes a delivery keeps it in hand and sends it at
// once, under the lease that the row was born with; what it has no room for, what is to be sent later, and what a dead
// process held is claimed by the loop. Both wait their turn in the admission, and both end in the record.

import { setTimeout as delay } from 'node:timers/promises'
import { within } from '#base/clock.ts'
import type { Context, Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Courier, Parcel } from '#events/courier.ts'
import { Admission, type AdmissionLimits, type Flight } from './admission.ts'
import { createClaimer, type Turn } from './claims.ts'
import type { Recorder } from './record.ts'
import type { Send, Sent } from './send.ts'
import { findParcel } from './sql-claim.ts'

export type Engine = Courier & {
  /** Claims what is due on a lane, as far as there is room. */
  work(lane: number): Promise<Turn>
  /** Makes one attempt beside the schedule and records it. Undefined: there is nobody to send it to. */
  sendNow(tenant: Tenant, deliveryId: Uuid): Promise<Sent | undefined>
  /** Something is due: whoever works looks at once. */
  wake(): void
  /** Called by `wake`, and when there is room again for what had been left behind. */
  onWake(listener: () => void): void
  /** Nothing new begins, and what waits is given back. Waits a while for what is under way. */
  release(): Promise<void>
}

export type EngineOptions = {
  ctx: Context
  send: Send
  recorder: Recorder
  /** False: only what `sendNow` is asked for. */
  carries: boolean
  /** The longest that an attempt can take. */
  attemptMs: number
  limits?: Partial<AdmissionLimits> | undefined
  /** Ends every attempt under way. */
  interrupt: () => void
}

/** For what this process may be slow at, between an answer and its record. */
const recordSlackMs = 5_000
/** How long a delivery may wait for its turn in the hand. */
const turnMsMax = 25_000

/** Death in between is noticed so late: then somebody else sends. */
export function leaseMsOf(attemptMs: number): number {
  return attemptMs + recordSlackMs + turnMsMax
}

/** Looking again for what was left behind costs a look at the database. */
const wakePauseMs = 20
/** A process that stops waits so long for answers, and then to note what is known. Supervisors kill it after ten seconds. */
const answersMsMax = 4_000
const recordsMsMax = 2_000
const recordPauseMs = 1_000
/** Answered and not recorded yet. While there are so many, nothing new begins: the database sets the pace then. */
const unrecordedMax = 1_024

export function createEngine(options: EngineOptions): Engine {
  return new Carrier(options)
}

class Carrier implements Engine {
  readonly #options: EngineOptions
  readonly #leaseMs: number
  readonly #admission: Admission<Parcel>
  readonly #claimer
  readonly #listeners: (() => void)[] = []
  /** From the first byte until it is recorded. */
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
    this.#claimer = createClaimer({
      ctx,
      leaseMs: this.#leaseMs,
      room: (subscriptionId) => this.#admission.room(subscriptionId, ctx.clock.now()),
      roomInAll: () => this.#admission.roomInAll(),
      take: (parcels) => this.#hold(parcels, { promised: false }),
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

  take(parcels: Parcel[]): void {
    this.#hold(parcels, { promised: true })
  }

  work(lane: number): Promise<Turn> {
    return this.#released ? Promise.resolve({ rows: 0, more: false }) : this.#claimer.claim(lane)
  }

  async sendNow(tenant: Tenant, deliveryId: Uuid): Promise<Sent | undefined> {
    const parcel = await findParcel(inLane(this.#options.ctx.db, tenant.lane), tenant.id, deliveryId)
    if (parcel === undefined) return undefined
    return this.#follow(this.#attempt(parcel))
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

  /** What gives back and what records may begin while others end. */
  async #end(): Promise<void> {
    while (this.#going.size > 0) await Promise.allSettled(this.#going)
  }

  #hold(parcels: Parcel[], { promised }: { promised: boolean }): void {
    for (const parcel of parcels) {
      const { subscriptionId, failing } = parcel.receiver
      this.#admission.add(subscriptionId, parcel, { promised, failing })
    }
    if (this.#released) this.#giveBack(this.#admission.takeBack())
    else this.#begin()
  }

  #nowMs(): number {
    return this.#options.ctx.clock.now()
  }

  /** Begins with all that may begin. */
  #begin(): void {
    const nowMs = this.#nowMs()
    for (;;) {
      const held = this.#released || this.#unrecorded >= unrecordedMax
      const flight = held ? undefined : this.#admission.next(nowMs)
      if (flight === undefined) break
      void this.#follow(this.#fly(flight))
    }
    const { webhooksUnderWay, webhooksWaiting } = this.#options.ctx.metrics
    webhooksUnderWay.set(this.#admission.underWay)
    webhooksWaiting.set(this.#admission.waiting)
  }

  async #fly(flight: Flight<Parcel>): Promise<void> {
    const { item: parcel } = flight
    // So much of the lease has passed that an attempt could outlive it. Somebody else may have it.
    if (this.#nowMs() + this.#options.attemptMs + recordSlackMs > parcel.leaseEnd.getTime()) {
      this.#admission.abandon(flight)
      this.#giveBack([parcel])
      return
    }
    const { subscriptionId } = parcel.receiver
    let spared: Parcel[] = []
    await this.#attempt(parcel, (sent) => {
      // Nobody is there any more: what waits goes back once that is recorded, and then rests.
      if (sent.outcome === 'gone') spared = this.#admission.takeBack(subscriptionId)
      this.#admission.end(flight, sent.outcome === 'delivered', this.#nowMs())
      this.#begin()
      this.#lookAgain(subscriptionId)
    })
    this.#giveBack(spared)
  }

  async #attempt(parcel: Parcel, sentNow: (sent: Sent) => void = () => undefined): Promise<Sent> {
    const sent = await this.#send(parcel)
    sentNow(sent)
    if (sent.outcome === 'interrupted') this.#giveBack([parcel])
    else await this.#record(parcel, sent)
    return sent
  }

  async #send(parcel: Parcel): Promise<Sent> {
    const { ctx, send } = this.#options
    const startedAt = new Date(ctx.clock.now())
    try {
      return await send(parcel)
    } catch (error) {
      ctx.log.error({ err: error, webhook: parcel.receiver.subscriptionId }, 'a delivery could not be prepared')
      const told = 'The delivery could not be prepared: the fault is on our side.'
      return { outcome: 'failed', startedAt, durationMs: 0, responseCode: null, error: told, responseBody: null }
    }
  }

  async #record(parcel: Parcel, sent: Sent): Promise<void> {
    this.#unrecorded++
    try {
      await this.#recordPatiently(parcel, sent)
    } finally {
      this.#unrecorded--
      if (this.#unrecorded === unrecordedMax - 1) this.#begin()
    }
  }

  /** While the database is away it is tried again, for as long as the lease lasts: then the delivery is sent again anyway. */
  async #recordPatiently(parcel: Parcel, sent: Sent): Promise<void> {
    const { ctx, recorder } = this.#options
    const ended = { ...sent, endedAt: new Date(this.#nowMs()), manual: parcel.manual, leaseEnd: parcel.leaseEnd }
    for (let again = false; ; again = true) {
      try {
        const { disabled } = await recorder.record({ parcel, ended, again })
        if (disabled) this.#giveBack(this.#admission.takeBack(parcel.receiver.subscriptionId))
        return
      } catch (error) {
        if (this.#released || this.#nowMs() + recordPauseMs > parcel.leaseEnd.getTime()) {
          ctx.log.warn({ delivery: parcel.id, err: error }, 'an attempt was not recorded; its lease will end')
          return
        }
        await delay(recordPauseMs)
      }
    }
  }

  #giveBack(parcels: Parcel[]): void {
    const { ctx, recorder } = this.#options
    for (const parcel of parcels) {
      const given = recorder.giveBack(parcel).catch((error: unknown) => {
        ctx.log.warn({ delivery: parcel.id, err: error }, 'a delivery was not given back; its lease will end')
      })
      void this.#follow(given)
    }
  }

  #follow<T>(work: Promise<T>): Promise<T> {
    const going = Promise.allSettled([work])
    this.#going.add(going)
    void going.finally(() => this.#going.delete(going))
    return work
  }

  /** There is room again for a subscription that is doing well, and more of its own waits in the database. */
  #lookAgain(subscriptionId: Uuid): void {
    if (this.#released || this.#wakeTimer !== undefined || !this.#leftBehind.has(subscriptionId)) return
    if (!this.#admission.isHungry(subscriptionId)) return
    this.#wakeTimer = setTimeout(() => {
      this.#wakeTimer = undefined
      this.#leftBehind.clear()
      this.wake()
    }, wakePauseMs)
  }
}
