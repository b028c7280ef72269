// How much one person may ask. A page asks a few things at once and then little; a business's programs have another quota.

import type { Clock } from '#platform/clock.ts'
import type { Uuid } from '#platform/ids.ts'
import { createQuotaCounter, type Quota } from '#businesses/quota.ts'
import { rateLimitExceeded } from '#api/server/rate-limit.ts'

const requestsPerMinute = 600

export type PersonQuota = {
  /** Counts one request. */
  take(person: Uuid): Quota
  /** Counts one as many. Throws when so many are not left; then it stays one. */
  takeAs(person: Uuid, requests: number): Quota
  /** Throws when there was nothing left. */
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
