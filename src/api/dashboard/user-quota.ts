// The request quota of a user. A page sends a few requests at once and then few. Keys count against the quota of
// their business.

import type { Clock } from '#platform/clock.ts'
import type { Uuid } from '#platform/ids.ts'
import { createQuotaCounter, type Quota } from '#businesses/quota.ts'
import { rateLimitExceeded } from '#api/server/rate-limit.ts'

const requestsPerMinute = 600

export type PersonQuota = {
  /** Counts one request. */
  take(person: Uuid): Quota
  /** Counts one request as several. Throws if the quota does not allow that many; then it still counts as one. */
  takeAs(person: Uuid, requests: number): Quota
  /** Throws if the quota was exceeded. */
  require(quota: Quota): void
}

export function createPersonQuota(clock: Clock): PersonQuota {
  const counter = createQuotaCounter({ limit: requestsPerMinute })
  const require = (quota: Quota): void => {
    if (quota.exceeded) throw rateLimitExceeded(quota, clock.now())
  }
  return {
    take: (person) => counter.take(person, clock.now()),
    takeAs(person, requests) {
      const quota = counter.takeMore(person, Math.min(requests, requestsPerMinute) - 1, clock.now())
      require(quota)
      return quota
    },
    require,
  }
}
