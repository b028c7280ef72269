// Rate limits for a provider's endpoints: a token bucket for each. A caller that finds it empty gets the wait time
// and makes no call. Buckets use the monotonic clock, so that a clock that is set back blocks no endpoint.

import type { Clock } from '#platform/clock.ts'

export type Rate = { calls: number; perMs: number }

export type Limiter<Endpoint extends string> = {
  /**
   * Returns 0 if the call may go ahead, and counts it. Otherwise returns the milliseconds until the next call fits.
   */
  take(endpoint: Endpoint): number
  /** The provider reported too many calls: blocks the endpoint for this long. */
  hold(endpoint: Endpoint, ms: number): void
}

/**
 * Shares of a provider's limit for all processes together: a steady rate, and a burst after a pause. Their sum is the
 * most that any period can contain. The remaining fifth is for processes that the others do not know yet
 * (processes.ts), for commands, and for other users of the account.
 */
const steadyPart = 0.6
const atOncePart = 0.2

type Bucket = { left: number; atMs: number; heldUntilMs: number }

/** `share`: this process's current share. */
export function createLimiter<Endpoint extends string>(
  rates: Record<Endpoint, Rate>,
  clock: Pick<Clock, 'monotonicMs'>,
  share: () => number = () => 1,
): Limiter<Endpoint> {
  const buckets = new Map<Endpoint, Bucket>()

  function bucketOf(endpoint: Endpoint): Bucket {
    // A process with a burst of less than one call would never make any.
    const most = Math.max(1, rates[endpoint].calls * atOncePart * share())
    const nowMs = clock.monotonicMs()
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
      const heldMs = bucket.heldUntilMs - clock.monotonicMs()
      if (heldMs > 0) return Math.ceil(heldMs)
      if (bucket.left < 1) return Math.ceil((1 - bucket.left) * msPerCall(endpoint))
      bucket.left -= 1
      return 0
    },
    hold(endpoint, ms) {
      bucketOf(endpoint).heldUntilMs = clock.monotonicMs() + ms
    },
  }
}
