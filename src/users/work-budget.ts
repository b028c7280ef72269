// Work that strangers ask for, one piece after the other: at once after a rest, and from then on in a given share of the time,
// however many ask.

import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'

export type Allowance = <T>(work: () => Promise<T>) => Promise<T>

type AllowanceOptions = {
  /** So much work has no wait when nobody came for a while. */
  freeMs: number
  /** Of the time from then on, less than 1. */
  share: number
  monotonicMs?: () => number
  waitMs?: (ms: number) => Promise<unknown>
}

export function createAllowance({
  freeMs,
  share,
  monotonicMs = systemClock.monotonicMs,
  waitMs = wait,
}: AllowanceOptions): Allowance {
  let savedMs = freeMs
  let savedAtMs = monotonicMs()

  return async (work) => {
    const nowMs = monotonicMs()
    savedMs = Math.min(freeMs, savedMs + (nowMs - savedAtMs) * share)
    savedAtMs = nowMs
    if (savedMs < 0) await waitMs(-savedMs / share)
    const begunMs = monotonicMs()
    try {
      return await work()
    } finally {
      savedMs -= monotonicMs() - begunMs
    }
  }
}
