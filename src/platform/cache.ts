// Caches database results for less than a second, so a change made by another process shows here within that second. An
// entry in steady use is refreshed in the background before it expires, so that no caller waits for it. Also measures
// how long a condition has lasted (`createFirstSeen`).

import type { Clock } from './clock.ts'

export type CacheEntry<T> = {
  value: T
  /** The time just before the query was sent: the value may be that old. */
  askedAtMs: number
  asking: boolean
}

const ageMsMax = 900
const refreshMs = 400

/** Returns undefined if the entry has expired. Calls `again` to refresh an entry that expires soon. */
export function stillFresh<T>(
  known: CacheEntry<T> | undefined,
  nowMs: number,
  again: () => Promise<unknown>,
): CacheEntry<T> | undefined {
  if (known === undefined) return undefined
  const ageMs = nowMs - known.askedAtMs
  // A negative age means that the clock was set back, so the real age is unknown.
  if (ageMs < 0 || ageMs >= ageMsMax) return undefined
  if (ageMs >= refreshMs && !known.asking) {
    known.asking = true
    again().catch(() => (known.asking = false)) // The next caller asks again and reports the failure.
  }
  return known
}

// Measures how long a condition has lasted without a break, as far as this process has seen. It uses the monotonic
// clock, because the clock of another machine, or one that was set, proves nothing about elapsed time.

export type FirstSeen = {
  /**
   * Records that the condition holds; returns for how many milliseconds it had held at `asOfMs`, at first 0. `asOfMs`:
   * the monotonic time at which it last held for certain. That is when the question was sent and not when the answer
   * was read, because the process may have been suspended in between.
   */
  sinceMs(key: string, asOfMs?: number): number
  /** Records that the condition no longer holds. */
  forget(key: string): void
}

const entriesMax = 50_000

/** A full map forgets the oldest entry, which then counts from 0 again. */
export function createFirstSeen({ monotonicMs }: Pick<Clock, 'monotonicMs'>, max = entriesMax): FirstSeen {
  const firstMs = new Map<string, number>()
  return {
    sinceMs(key, asOfMs) {
      const nowMs = monotonicMs()
      const knownMs = firstMs.get(key)
      if (knownMs !== undefined) return Math.max(0, (asOfMs ?? nowMs) - knownMs)
      const [oldest] = firstMs.size >= max ? firstMs.keys() : []
      if (oldest !== undefined) firstMs.delete(oldest)
      firstMs.set(key, nowMs)
      return 0
    },
    forget: (key) => void firstMs.delete(key),
  }
}
