// The time of a world. It goes on as real time does, so that what runs is timed as ever, and jumps ahead when a fault or
// the quiet at the end wants minutes to pass: whatever was to happen in between then happens at once, in its order.

import type { Clock } from '#platform/clock.ts'
import { patienceMs } from '#tests/support/patience.ts'

export type Alarm = { cancel(): void }

export type WorldTime = Clock & {
  advance(ms: number): void
  /** As PostgreSQL tells it: its machine's clock may be set, or another machine be the database. */
  database: { now(): number; stepBack(ms: number): void; isStepped(): boolean }
  /** Rings when so much time of the world has passed, whether it went or jumped. */
  after(ms: number, ring: () => void): Alarm
}

type Waiting = { atMs: number; ring: () => void; timer: NodeJS.Timeout }

/** Node's own, from before the service's timers began to follow the world (timers.ts). */
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
    after(ms, ring) {
      const one: Waiting = { atMs: now() + ms, ring, timer: setRealTimeout(() => ringNow(one), ms) }
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

/** What the machine of one instance knows of time: the world's, and wrong by so much. Its pace is right. */
export type WrongClock = Clock & { aheadMs: number }

export function createWrongClock(time: WorldTime, aheadMs: number): WrongClock {
  const clock = { aheadMs, now: () => time.now() + clock.aheadMs, monotonicMs: () => time.now() }
  return clock
}

/** Real time, for what a world waits for that no jump brings nearer: a process, a disk, an answer. */
export function realTime(ms: number): Promise<void> {
  return new Promise((resolve) => void setRealTimeout(resolve, ms))
}

/** Asks until it is true, or so much real time has passed; says whether it was. */
export async function holdsWithin(limitMs: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const endMs = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > endMs) return false
    await realTime(lookEveryMs)
  }
  return true
}

const lookEveryMs = 15

/**
 * Real time after which whatever a world waits for hangs. No shorter wait may say that a world is wrong or end it, because it
 * would judge the machine: one that does other things as well takes many times as long for everything.
 */
export const hangMs = patienceMs
