// The scheduler decides which subscription is sent to next, so that no slow or dead endpoint delays another. Pure: the
// time is passed in. Tests prove these guarantees:
//   - At most `slots` attempts run at once. Each subscription has its own limit, which rises with each quick success, because
//     a good but distant receiver needs many attempts at once. Above `atOnceSure`, an attempt begins only while half of the
//     slots are free.
//   - A subscription is doubtful if its last attempt failed or was slow, or if a running attempt is slow. Attempts of
//     doubtful subscriptions begin only while these use less than half of the slots, and less than three quarters together
//     with unknown subscriptions. So hanging requests leave slots for the others.
//   - Subscriptions whose limits allow an attempt take turns, however many deliveries wait for one of them.
//   - The queue of a subscription is bounded. No queue gets another place while `waiting` deliveries wait in all queues
//     together.

import { assert } from '#platform/assert.ts'
import { minuteMs } from '#platform/durations.ts'

export const schedulerLimits = {
  slots: 512,
  /**
   * The limit of an unknown subscription, also after its first quick success. Each further success raises it by one.
   */
  atOnceFirst: 4,
  atOnceSure: 16,
  /** At 200 ms a request, this limit allows 640 requests a second. */
  atOnceMax: 128,
  atOnceDoubtful: 2,
  slowMs: 2_000,
  waiting: 8_192,
  waitingPerTrusted: 512,
  waitingPerUnknown: 64,
  waitingPerDoubtful: 4,
  /** An unused reservation expires, because the transaction that made it must have ended by then. */
  promiseMs: minuteMs,
}

export type SchedulerLimits = typeof schedulerLimits

type Trust = 'trusted' | 'unknown' | 'doubtful'

/** The queue and the limits of one subscription. */
type Line<T> = {
  key: string
  waiting: T[]
  promised: number
  promisedAtMs: number
  underWay: number
  slow: number
  atOnce: number
  last: Trust
}

export type InFlightAttempt<T> = { item: T; line: Line<T>; startedAtMs: number; slow: boolean }

const rememberedMax = 10_000
const doubtfulShareMax = 1 / 2
const probedShareMax = 3 / 4

export class DeliveryScheduler<T> {
  readonly #limits: SchedulerLimits
  /** In order of use, the least recently used first. */
  readonly #lines = new Map<string, Line<T>>()
  /** Lines that may begin an attempt, in the order of their turns. */
  readonly #turns: Record<Trust, Set<Line<T>>> = { trusted: new Set(), unknown: new Set(), doubtful: new Set() }
  readonly #underWayBy: Record<Trust, number> = { trusted: 0, unknown: 0, doubtful: 0 }
  #kinds: Trust[] = ['trusted', 'unknown', 'doubtful']
  /** Attempts in flight that are not slow yet, the oldest first. */
  readonly #young = new Set<InFlightAttempt<T>>()
  #underWay = 0
  #waiting = 0

  constructor(limits: Partial<SchedulerLimits> = {}) {
    this.#limits = { ...schedulerLimits, ...limits }
  }

  get underWay(): number {
    return this.#underWay
  }

  get waiting(): number {
    return this.#waiting
  }

  room(key: string, nowMs: number): number {
    this.#age(nowMs)
    const inAll = this.roomInAll()
    const line = this.#lines.get(key)
    if (line === undefined) return Math.min(inAll, this.#limits.waitingPerUnknown)
    if (nowMs - line.promisedAtMs > this.#limits.promiseMs) line.promised = 0
    return Math.max(0, Math.min(inAll, this.#waitingMax(line)) - line.waiting.length - line.promised)
  }

  roomInAll(): number {
    return Math.max(0, this.#limits.waiting - this.#waiting)
  }

  /** True if the subscription is not doubtful, and half of its queue and of all queues together is free. */
  isHungry(key: string): boolean {
    const line = this.#lines.get(key)
    if (line === undefined || trustOf(line) === 'doubtful') return false
    return line.waiting.length <= this.#waitingMax(line) / 2 && this.#waiting <= this.#limits.waiting / 2
  }

  /** Reserves a place in the queue. Returns false if the queue is full. */
  promise(key: string, nowMs: number): boolean {
    if (this.room(key, nowMs) === 0) return false
    const line = this.#line(key)
    line.promised++
    line.promisedAtMs = nowMs
    return true
  }

  /** Queues a delivery. The caller asked for `room` or a reservation before, so it is never refused. */
  add(key: string, item: T, { promised, failing }: { promised: boolean; failing: boolean }): void {
    const line = this.#line(key)
    // The last recorded attempt failed, so the subscription is doubtful and not unknown.
    if (failing && line.last === 'unknown') this.#change(line, () => this.#doubt(line))
    if (promised && line.promised > 0) line.promised--
    line.waiting.push(item)
    this.#waiting++
    this.#place(line)
  }

  next(nowMs: number): InFlightAttempt<T> | undefined {
    this.#age(nowMs)
    if (this.#underWay >= this.#limits.slots) return undefined
    const line = this.#pick()
    const item = line?.waiting.shift()
    if (line === undefined || item === undefined) return undefined
    const flight = { item, line, startedAtMs: nowMs, slow: false }
    this.#young.add(flight)
    this.#waiting--
    this.#count(line, 1)
    this.#place(line)
    return flight
  }

  end(flight: InFlightAttempt<T>, succeeded: boolean, nowMs: number): void {
    const { line } = flight
    this.#age(nowMs)
    this.abandon(flight)
    const { atOnceFirst, atOnceMax, slowMs } = this.#limits
    const quick = succeeded && nowMs - flight.startedAtMs < slowMs
    this.#change(line, () => {
      if (!quick) return this.#doubt(line)
      line.atOnce = line.last === 'trusted' ? Math.min(atOnceMax, line.atOnce + 1) : atOnceFirst
      line.last = 'trusted'
    })
  }

  /** Ends an attempt without a judgment of its subscription. */
  abandon(flight: InFlightAttempt<T>): void {
    const { line } = flight
    this.#young.delete(flight)
    this.#change(line, () => {
      if (flight.slow) line.slow--
    })
    this.#count(line, -1)
    this.#place(line)
  }

  takeBack(key?: string): T[] {
    const lines =
      key === undefined ? [...this.#lines.values()] : [this.#lines.get(key)].filter((line) => line !== undefined)
    return lines.flatMap((line) => {
      const items = line.waiting
      line.waiting = []
      this.#waiting -= items.length
      this.#place(line)
      return items
    })
  }

  #line(key: string): Line<T> {
    const { atOnceFirst } = this.#limits
    const line = this.#lines.get(key) ?? {
      key,
      waiting: [],
      promised: 0,
      promisedAtMs: 0,
      underWay: 0,
      slow: 0,
      atOnce: atOnceFirst,
      last: 'unknown' as const,
    }
    this.#lines.delete(key)
    if (this.#lines.size >= rememberedMax) this.#forgetOne()
    this.#lines.set(key, line)
    return line
  }

  #forgetOne(): void {
    for (const [key, { waiting, promised, underWay }] of this.#lines) {
      if (waiting.length + promised + underWay > 0) continue
      this.#lines.delete(key)
      return
    }
  }

  #waitingMax(line: Line<T>): number {
    const { waitingPerTrusted, waitingPerUnknown, waitingPerDoubtful } = this.#limits
    return { trusted: waitingPerTrusted, unknown: waitingPerUnknown, doubtful: waitingPerDoubtful }[trustOf(line)]
  }

  /** Marks attempts that have become slow, which makes their subscriptions doubtful while they still run. */
  #age(nowMs: number): void {
    for (const flight of this.#young) {
      if (nowMs - flight.startedAtMs < this.#limits.slowMs) return
      this.#young.delete(flight)
      flight.slow = true
      this.#change(flight.line, () => flight.line.slow++)
    }
  }

  #doubt(line: Line<T>): void {
    line.last = 'doubtful'
    line.atOnce = this.#limits.atOnceDoubtful
  }

  /** Moves the slots of a subscription to another kind when its trust changes. */
  #change(line: Line<T>, change: () => void): void {
    this.#turns[trustOf(line)].delete(line)
    this.#underWayBy[trustOf(line)] -= line.underWay
    change()
    this.#underWayBy[trustOf(line)] += line.underWay
    this.#place(line)
  }

  #count(line: Line<T>, by: 1 | -1): void {
    line.underWay += by
    this.#underWay += by
    this.#underWayBy[trustOf(line)] += by
    assert(line.underWay >= 0, 'an attempt ended twice')
  }

  /** Adds the line to the turns of its kind if it may begin an attempt, and removes it otherwise. */
  #place(line: Line<T>): void {
    const turns = this.#turns[trustOf(line)]
    const atOnce = line.slow > 0 ? Math.min(line.atOnce, this.#limits.atOnceDoubtful) : line.atOnce
    if (line.waiting.length > 0 && line.underWay < atOnce) turns.add(line)
    else turns.delete(line)
  }

  #pick(): Line<T> | undefined {
    const { slots } = this.#limits
    const { unknown, doubtful } = this.#underWayBy
    const mayProbe = unknown + doubtful < Math.floor(slots * probedShareMax)
    const may = {
      trusted: true,
      unknown: mayProbe,
      doubtful: mayProbe && doubtful < Math.floor(slots * doubtfulShareMax),
    }
    for (const kind of this.#kinds) {
      const line = may[kind] ? this.#takeTurn(kind) : undefined
      if (line === undefined) continue
      if (kind !== this.#kinds.at(-1)) this.#kinds = [...this.#kinds.filter((other) => other !== kind), kind]
      return line
    }
    return undefined
  }

  /** A line that is passed over rejoins the turns when a delivery is added or one of its attempts ends. */
  #takeTurn(kind: Trust): Line<T> | undefined {
    const { slots, atOnceSure } = this.#limits
    for (const line of this.#turns[kind]) {
      this.#turns[kind].delete(line)
      if (line.underWay < atOnceSure || this.#underWay < slots / 2) return line
    }
    return undefined
  }
}

function trustOf<T>({ last, slow }: Line<T>): Trust {
  return slow > 0 ? 'doubtful' : last
}
