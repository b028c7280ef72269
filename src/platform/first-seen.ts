// Measures how long a condition has lasted without a break, as far as this process has seen. It uses the monotonic
// clock, because a clock that differs between machines or was set proves nothing about elapsed time.

import type { Clock } from './clock.ts'

export type FirstSeen = {
  /** Records that the condition holds now; returns for how many milliseconds it has. The first time: 0. */
  sinceMs(key: string): number
  /** Records that the condition no longer holds. */
  forget(key: string): void
}

const entriesMax = 50_000

/** A full map forgets the oldest entry, which then counts from 0 again. */
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
