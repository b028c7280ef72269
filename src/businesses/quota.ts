// How much a caller may ask: a fixed window, aligned to the Unix minute, one count per tenant (or per client address
// where there is no key). Counts live in this process: with several processes behind a balancer each counts its own.

export type Quota = { limit: number; remaining: number; resetAtSeconds: number; exceeded: boolean }

export type QuotaCounter = {
  /** Counts one request. */
  take(bucket: string, limit: number, nowMs: number): Quota
  /** The state without counting: for what is free of charge. */
  peek(bucket: string, limit: number, nowMs: number): Quota
}

const windowMs = 60_000
// A million forged addresses must not become a million entries: past this many, newcomers share one bucket.
const bucketsMax = 100_000
const sharedBucket = 'shared'

export function createQuotaCounter(): QuotaCounter {
  let counts = new Map<string, number>()
  let window = 0

  function turn(nowMs: number): void {
    const current = Math.floor(nowMs / windowMs)
    if (current === window) return
    window = current
    counts = new Map()
  }

  function state(limit: number, count: number): Quota {
    const resetAtSeconds = ((window + 1) * windowMs) / 1000
    return { limit, remaining: Math.max(0, limit - count), resetAtSeconds, exceeded: count > limit }
  }

  return {
    take(bucket, limit, nowMs) {
      turn(nowMs)
      const name = counts.has(bucket) || counts.size < bucketsMax ? bucket : sharedBucket
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return state(limit, count)
    },
    peek(bucket, limit, nowMs) {
      turn(nowMs)
      return state(limit, counts.get(bucket) ?? 0)
    },
  }
}
