// A clock that stands still until a test moves it.

import type { Clock } from '#platform/clock.ts'

export type FakeClock = Clock & {
  /** Lets time pass. */
  advance(ms: number): void
  /** Sets the clock forwards or back. No time passes. */
  set(ms: number): void
}

export function createFakeClock(startMs = Date.parse('2026-01-15T09:30:00.000Z')): FakeClock {
  let [passedMs, setMs] = [0, 0]
  return {
    now: () => startMs + passedMs + setMs,
    monotonicMs: () => 1_000 + passedMs,
    advance: (ms) => {
      passedMs += ms
    },
    set: (ms) => {
      setMs += ms
    },
  }
}
