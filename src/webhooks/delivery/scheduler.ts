// Who is sent to next: fairness among subscriptions, so that no slow or dead endpoint delays another. Pure: the time is
// passed in. What it promises, each proved by a test:
//   - no more than `slots` attempts at once, and no subscription has more than its own limit of them. A receiver that
//     does well but is far away needs many at once to get all that is meant for it: it has them while half of the slots
//     are free, and otherwise its sure share;
//   - a subscription is doubtful when its last attempt failed or took long, or when one has been under way for long. All
//     doubtful ones together hold at most half of the slots, and with those not known yet three quarters: what
//     hangs leaves room for the others;
//   - of those that may be sent to, each gets its turn, however much waits for another;
//   - what waits is bounded for each subscription and in all.

import { assert } from '#platform/assert.ts'
import { minuteMs } from '#platform/durations.ts'

export const admissionLimits = {
  slots: 512,
  /** From the first quick success on it grows by one with each, and begins anew after a failure. */
  atOnceFirst: 4,
  atOnceSure: 16,
  /** While half of the slots are free. At 200 ms a request, 640 a second. */
  atOnceMax: 128,
  /** After a failure, or a success that took long. */
  atOnceDoubtful: 2,
  slowMs: 2_000,
  waiting: 8_192,
  waitingPerTrusted: 512,
  waitingPerUnknown: 64,
  waitingPerDoubtful: 4,
  /** A place that was promised and not taken is free again: the transaction that asked for it cannot be alive. */
  promiseMs: minuteMs,
}

export type AdmissionLimits = typeof admissionLimits

type Trust = 'trusted' | 'unknown' | 'doubtful'

/** All that concerns one subscription. It exists while anything waits or is under way, and for as long as it is remembered. */
type Line<T> = {
  key: string
  waiting: T[]
  promised: number
  promisedAtMs: number
  underWay: number
  /** How many of those under way take long. */
  slow: number
  atOnce: number
  last: Trust
}

/** One attempt under way. */
export type Flight<T> = { item: T; line: Line<T>; startedAtMs: number; slow: boolean }

const rememberedMax = 10_000
const doubtfulShareMax = 1 / 2
const probedShareMax = 3 / 4

export class Admission<T> {
  readonly #limits: AdmissionLimits
  /** The one used longest ago comes first. */
  readonly #lines = new Map<string, Line<T>>()
  /** Lines in which something waits, by whose turn it is. */
  readonly #turns: Record<Trust, Set<Line<T>>> = { trusted: new Set(), unknown: new Set(), doubtful: new Set() }
  readonly #underWayBy: Record<Trust, number> = { trusted: 0, unknown: 0, doubtful: 0 }
  /** Whose turn is next. */
  #kinds: Trust[] = ['trusted', 'unknown', 'doubtful']
  /** Under way and not slow yet, the oldest first. */
  readonly #young = new Set<Flight<T>>()
  #underWay = 0
  #waiting = 0

  constructor(limits: Partial<AdmissionLimits> = {}) {
    this.#limits = { ...admissionLimits, ...limits }
  }

  get underWay(): number {
    return this.#underWay
  }

  get waiting(): number {
    return this.#waiting
  }

  /** How many more may wait for this subscription. */
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

  /** Whether it is worth looking for more at once: it is not doubtful, and half of what may wait for it does not. */
  isHungry(key: string): boolean {
    const line = this.#lines.get(key)
    if (line === undefined || trustOf(line) === 'doubtful') return false
    return line.waiting.length <= this.#waitingMax(line) / 2 && this.#waiting <= this.#limits.waiting / 2
  }

  /** Keeps a place for what is about to come. False: there is none. */
  promise(key: string, nowMs: number): boolean {
    if (this.room(key, nowMs) === 0) return false
    const line = this.#line(key)
    line.promised++
    line.promisedAtMs = nowMs
    return true
  }

  /** Waits from now on. What room was asked for, or promised to, is not refused. */
  add(key: string, item: T, { promised, failing }: { promised: boolean; failing: boolean }): void {
    const line = this.#line(key)
    // What failed before this process knew it is not as good as unknown.
    if (failing && line.last === 'unknown') this.#change(line, () => this.#doubt(line))
    if (promised && line.promised > 0) line.promised--
    line.waiting.push(item)
    this.#waiting++
    this.#place(line)
  }

  /** The next one to begin with, if any may begin. */
  next(nowMs: number): Flight<T> | undefined {
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

  end(flight: Flight<T>, succeeded: boolean, nowMs: number): void {
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

  /** It came to nothing before it began, and says nothing about its subscription. */
  abandon(flight: Flight<T>): void {
    const { line } = flight
    this.#young.delete(flight)
    this.#change(line, () => {
      if (flight.slow) line.slow--
    })
    this.#count(line, -1)
    this.#place(line)
  }

  /** What waits for one subscription, or for all, is handed back. */
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

  /** What has been under way for long makes its subscription doubtful before it ends. */
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

  /** Slots are counted anew when the trust in a subscription changes. */
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

  /** Into the turns where it belongs: at the end, unless it is there already. */
  #place(line: Line<T>): void {
    const turns = this.#turns[trustOf(line)]
    const atOnce = line.slow > 0 ? Math.min(line.atOnce, this.#limits.atOnceDoubtful) : line.atOnce
    if (line.waiting.length > 0 && line.underWay < atOnce) turns.add(line)
    else turns.delete(line)
  }

  /** The kinds take turns, so that each gets on within its share; within a kind, subscriptions do. */
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
      this.#kinds = [...this.#kinds.filter((other) => other !== kind), kind]
      return line
    }
    return undefined
  }

  /** One that has its sure share already, and finds no more to be had, is back in the turns when one of its own ends. */
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
