// The time of a world, and the wrong clocks of its instances. World time runs at the pace of real time, but jumps ahead
// where minutes must pass: for a fault, and in the quiet at the end, when the faults are over. At a jump all alarms
// (timers) that became due ring at once, in their order.

import type { Clock } from '#platform/clock.ts'
import { patienceMs } from '#tests/support/patience.ts'

export type Alarm = { cancel(): void }

export type WorldTime = Clock & {
  advance(ms: number): void
  /** PostgreSQL's clock. It can be set back, as by an operator or a failover to another machine. */
  database: { now(): number; stepBack(ms: number): void; isStepped(): boolean }
  /**
   * Rings when this much world time has passed. `holds: 'a call'`: the timer delays a call to a provider until the
   * provider's rate limit allows it.
   */
  after(ms: number, ring: () => void, holds?: 'a call'): Alarm
  /** Returns true while such a call waits. */
  isCallHeld(): boolean
}

type Waiting = { atMs: number; ring: () => void; timer: NodeJS.Timeout; holds: 'a call' | undefined }

/** Node's own timers, kept before `followTheWorld` (timers.ts) replaces the global ones. */
export const setRealTimeout = globalThis.setTimeout
export const clearRealTimeout = globalThis.clearTimeout

export function createTime(startMs = Date.parse('2026-01-15T09:30:00.000Z')): WorldTime {
  const originMs = performance.now()
  const waiting = new Set<Waiting>()
  let [jumpedMs, databaseBehindMs] = [0, 0]
  const now = (): number => Math.floor(startMs + jumpedMs + performance.now() - originMs)

  function ringNow(one: Waiting): void {
    if (!waiting.delete(one)) return
    clearRealTimeout(one.timer)
    one.ring()
  }

  return {
    now,
    monotonicMs: now,
    database: {
      now: () => now() - databaseBehindMs,
      stepBack: (ms) => void (databaseBehindMs += ms),
      isStepped: () => databaseBehindMs > 0,
    },
    advance(ms) {
      jumpedMs += ms
      const due = [...waiting].filter(({ atMs }) => atMs <= now())
      for (const one of due.toSorted((left, right) => left.atMs - right.atMs)) ringNow(one)
    },
    isCallHeld: () => [...waiting].some(({ holds }) => holds !== undefined),
    after(ms, ring, holds) {
      const one: Waiting = { atMs: now() + ms, ring, timer: setRealTimeout(() => ringNow(one), ms), holds }
      one.timer.unref()
      waiting.add(one)
      return {
        cancel() {
          waiting.delete(one)
          clearRealTimeout(one.timer)
        },
      }
    },
  }
}

/** The clock of one instance's machine: the world's time plus an error, which faults change. */
export type WrongClock = Clock & { aheadMs: number }

export function createWrongClock(time: WorldTime, aheadMs: number): WrongClock {
  const clock = { aheadMs, now: () => time.now() + clock.aheadMs, monotonicMs: () => time.now() }
  return clock
}

/** Waits in real time, for what a jump of world time does not speed up: a process, a disk, an answer. */
export function realTime(ms: number): Promise<void> {
  return new Promise((resolve) => void setRealTimeout(resolve, ms))
}

/** Polls until the condition holds or the limit of real time has passed. Returns whether it held. */
export async function holdsWithin(limitMs: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const endMs = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > endMs) return false
    await realTime(pollEveryMs)
  }
  return true
}

const pollEveryMs = 15

/**
 * A wait that takes longer in real time counts as hung. The limit is long, because on a busy machine everything takes
 * many times as long, and that must not fail a world.
 */
export const hangMs = patienceMs
