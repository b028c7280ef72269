// How often a provider's endpoint may be called: a bucket of so many calls that fills steadily. A caller that finds it empty
// is told when there is room again, and has called nothing.

import type { Clock } from '#platform/clock.ts'

export type Rate = { calls: number; perMs: number }

export type Limiter<Endpoint extends string> = {
  /** 0: go ahead, it is counted. Otherwise the milliseconds until there is room for one more. */
  take(endpoint: Endpoint): number
  /** The provider itself said that it was too much: nothing goes for so long. */
  hold(endpoint: Endpoint, ms: number): void
}

/**
 * Parts of what a provider allows, for all processes together: so much steadily, and so much at once after a pause. Both
 * together are what can be called within one period, wherever that begins. The fifth that is left is for processes that the
 * others do not know yet (processes.ts), for commands, and for other users of the account.
 */
const steadyPart = 0.6
const atOncePart = 0.2

type Bucket = { left: number; atMs: number; heldUntilMs: number }

/** `share`: which part of that is this process's, at the moment. */
export function createLimiter<Endpoint extends string>(
  rates: Record<Endpoint, Rate>,
  clock: Clock,
  share: () => number = () => 1,
): Limiter<Endpoint> {
  const buckets = new Map<Endpoint, Bucket>()

  function bucketOf(endpoint: Endpoint): Bucket {
    // A process that may make less than one call at once would never make any.
    const most = Math.max(1, rates[endpoint].calls * atOncePart * share())
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
    return perMs / (calls * steadyPart * share())
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
