// Caches database results for less than a second, so a change made by another process shows here within that second.
// An entry in steady use is refreshed in the background before it expires, so that no caller waits for it.

export type CacheEntry<T> = {
  value: T
  /** The time just before the query was sent: the value may be as old as that. */
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
  // If the clock was set back, an entry looks younger than it is.
  if (ageMs < 0 || ageMs >= ageMsMax) return undefined
  if (ageMs >= refreshMs && !known.asking) {
    known.asking = true
    again().catch(() => (known.asking = false)) // The next caller asks again and reports the failure.
  }
  return known
}
