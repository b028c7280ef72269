// Caches database results for less than a second, so each process sees the changes of other processes within a second.
// An entry in steady use is refreshed in the background before it expires, so that no caller waits for it. Also
// measures how long a condition has lasted (`createFirstSeen`).

import type { Clock } from './clock.ts'

export type CacheEntry<T> = {
  value: T
  /** The monotonic time just before the query was sent. The value may be that old. */
  askedAtMs: number
  asking: boolean
}

const ageMsMax = 900
const refreshMs = 400

export function stillFresh<T>(
  known: CacheEntry<T> | undefined,
  monotonicMs: number,
  again: () => Promise<unknown>,
): CacheEntry<T> | undefined {
  if (known === undefined) return undefined
  const ageMs = monotonicMs - known.askedAtMs
  if (ageMs >= ageMsMax) return undefined
  if (ageMs >= refreshMs && !known.asking) {
    known.asking = true
    again().catch(() => (known.asking = false)) // The next caller asks again and reports the failure.
  }
  return known
}

// Measures how long a condition has lasted, as far as this process has seen. It uses the monotonic clock, because other
// clocks can be set.

export type FirstSeen = {
  /**
   * Records that the condition holds, and returns for how long it had held at `asOfMs`; 0 at first. `asOfMs` is the
   * monotonic time at which the condition last held for certain. That is when the request that showed it was sent, not
   * when the response was read, because the process may have been suspended in between.
   */
  sinceMs(key: string, asOfMs?: number): number
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
