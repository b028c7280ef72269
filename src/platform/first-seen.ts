// How long something has been so without a break, as far as this process has seen. Counted by its monotonic clock, because two
// machines' clocks, or a clock that was set, prove nothing about how much time has passed.

import type { Clock } from './clock.ts'

export type FirstSeen = {
  /** Notes that it is so now; returns for how many milliseconds it has been so. The first time: 0. */
  sinceMs(key: string): number
  /** It is not so any more. */
  forget(key: string): void
}

const entriesMax = 50_000

/** When it is full it forgets what it has known longest, which then counts from 0 again. */
export function createFirstSeen({ monotonicMs }: Pick<Clock, 'monotonicMs'>, max = entriesMax): FirstSeen {
  const firstMs = new Map<string, number>()
  return {
    sinceMs(key) {
      const nowMs = monotonicMs()
      const knownMs = firstMs.get(key)
      if (knownMs !== undefined) return nowMs - knownMs
      const [oldest] = firstMs.size >= max ? firstMs.keys() : []
      if (oldest !== undefined) firstMs.delete(oldest)
      firstMs.set(key, nowMs)
      return 0
    },
    forget: (key) => void firstMs.delete(key),
  }
}
