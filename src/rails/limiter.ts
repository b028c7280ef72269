// How often a provider's endpoint may be called: a bucket of so many calls that fills steadily. Whoever finds it empty is
// told when there is room again, and has called nothing.

import type { Clock } from '#base/clock.ts'

export type Rate = { calls: number; perMs: number }

export type Limiter<Endpoint extends string> = {
  /** 0: go ahead, it is counted. Otherwise the milliseconds until there is room for one more. */
  take(endpoint: Endpoint): number
  /** The provider itself said that it was too much: nothing goes for so long. */
  hold(endpoint: Endpoint, ms: number): void
}

/** Of what a provider allows; the rest is for other processes' clocks and for what else uses the same account. */
export const shareOfLimit = 0.8

type Bucket = { left: number; atMs: number; heldUntilMs: number }

export function createLimiter<Endpoint extends string>(rates: Record<Endpoint, Rate>, clock: Clock): Limiter<Endpoint> {
  const buckets = new Map<Endpoint, Bucket>()

  function bucketOf(endpoint: Endpoint): Bucket {
    const most = rates[endpoint].calls * shareOfLimit
    const nowMs = clock.now()
    const bucket = buckets.get(endpoint) ?? { left: most, atMs: nowMs, heldUntilMs: 0 }
    const grownMs = Math.max(0, nowMs - bucket.atMs)
    bucket.left = Math.min(most, bucket.left + grownMs / msPerCall(endpoint))
    bucket.atMs = nowMs
    buckets.set(endpoint, bucket)
    return bucket
  }

  function msPerCall(endpoint: Endpoint): number {
    const { calls, perMs } = rates[endpoint]
    return perMs / (calls * shareOfLimit)
  }

  return {
    take(endpoint) {
      const bucket = bucketOf(endpoint)
      const heldMs = bucket.heldUntilMs - clock.now()
      if (heldMs > 0) return Math.ceil(heldMs)
      if (bucket.left < 1) return Math.ceil((1 - bucket.left) * msPerCall(endpoint))
      bucket.left -= 1
      return 0
    },
    hold(endpoint, ms) {
      bucketOf(endpoint).heldUntilMs = clock.now() + ms
    },
  }
}
