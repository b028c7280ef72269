// How much a caller may ask: a fixed window, aligned to the Unix minute. Tenants have one counter, client addresses
// without a key another. Counts live in this process: with several processes behind a balancer each counts its own.

export type Quota = { limit: number; remaining: number; resetAtSeconds: number; exceeded: boolean }

export type QuotaCounter = {
  /** Counts one request. */
  take(bucket: string, nowMs: number): Quota
  /** Counts more for a request that was taken already: all of it, or nothing when less is left. */
  takeMore(bucket: string, more: number, nowMs: number): Quota
  /** The quota as it stands, without counting a request. */
  peek(bucket: string, nowMs: number): Quota
}

export type QuotaOptions = {
  /** Requests per window and bucket. */
  limit: number
  /** Past this many buckets, new ones of the window share one. Needed where a caller can make up buckets at will. */
  bucketsMax?: number
}

const windowMs = 60_000
const sharedBucket = 'shared'

export function createQuotaCounter({ limit, bucketsMax = Infinity }: QuotaOptions): QuotaCounter {
  let counts = new Map<string, number>()
  let window = 0

  function turn(nowMs: number): void {
    const current = Math.floor(nowMs / windowMs)
    if (current === window) return
    window = current
    counts = new Map()
  }

  function nameOf(bucket: string): string {
    return counts.size < bucketsMax || counts.has(bucket) ? bucket : sharedBucket
  }

  function state(count: number): Quota {
    const resetAtSeconds = ((window + 1) * windowMs) / 1000
    return { limit, remaining: Math.max(0, limit - count), resetAtSeconds, exceeded: count > limit }
  }

  return {
    take(bucket, nowMs) {
      turn(nowMs)
      const name = nameOf(bucket)
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return state(count)
    },
    takeMore(bucket, more, nowMs) {
      turn(nowMs)
      const name = nameOf(bucket)
      const count = counts.get(name) ?? 0
      if (count + more > limit) return { ...state(count), exceeded: true }
      counts.set(name, count + more)
      return state(count + more)
    },
    peek(bucket, nowMs) {
      turn(nowMs)
      return state(counts.get(nameOf(bucket)) ?? 0)
    },
  }
}
