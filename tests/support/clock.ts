// A clock that stands still until a test moves it.

import type { Clock } from '#base/clock.ts'

export type FakeClock = Clock & { advance(ms: number): void }

export function createFakeClock(startMs = Date.parse('2026-01-15T09:30:00.000Z')): FakeClock {
  let nowMs = startMs
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms
    },
  }
}
