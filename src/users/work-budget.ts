// Limits the work that strangers cause, one task after the other. After an idle time it starts at once; from then on
// it uses only a given share of the time, no matter how many ask.

import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'

export type Allowance = <T>(work: () => Promise<T>) => Promise<T>

type AllowanceOptions = {
  /** The work that needs no wait after an idle time. */
  freeMs: number
  /** The share of the time after that, less than 1. */
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
