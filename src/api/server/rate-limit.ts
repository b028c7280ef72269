// Counts each request against the quota of its tenant, or of its network when it has no valid key. So does one whose key
// is not for use from there: whoever stole it does not use up what its business has.

import type { Clock } from '#platform/clock.ts'
import { ApiError } from '#platform/errors.ts'
import { networkOf } from '#platform/http-client/addresses.ts'
import type { Caller } from '#businesses/keyring.ts'
import { createQuotaCounter, type Quota, type TellOthers } from '#businesses/quota.ts'
import type { Exchange } from './exchange.ts'

export type RateLimit = {
  /** Counts the request. Throws when its tenant or address has used up this minute's quota. */
  count(exchange: Exchange): void
  /** What was counted as one request turns out to be so many. Throws when they are not left; then it stays one. */
  countAs(exchange: Exchange, caller: Caller, requests: number): void
  /** Whether the database may be asked about one more key from there of which nothing is known. Counts it. */
  mayGuess(address: string): boolean
  /** The same for what is asked at every request, so that only what was wrong is counted: `countGuess`. Throws when not. */
  requireGuess(address: string): void
  countGuess(address: string): void
  /** The quota that an answer reports when its request does not count. */
  peek(address: string): Quota
}

export type RateLimitOptions = {
  perTenant: number
  perAddress: number
  guessesPerNetwork: number
  clock: Clock
  /** Absent: this process counts for itself. */
  tellOthers?: TellOthers
}

/** A million forged addresses must not become a million entries. */
const addressesMax = 100_000

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perTenant, perAddress, guessesPerNetwork, clock, tellOthers } = options
  const tenants = createQuotaCounter({ limit: perTenant, tellOthers })
  // No address is written as a tenant's id is.
  const addresses = createQuotaCounter({ limit: perAddress, bucketsMax: addressesMax, tellOthers })
  const guesses = createQuotaCounter({ limit: guessesPerNetwork, bucketsMax: addressesMax })
  return {
    count(exchange) {
      const { caller, isOutside, callerAddress } = exchange
      const nowMs = clock.now()
      const quota =
        caller === undefined || isOutside
          ? addresses.take(networkOf(callerAddress), nowMs)
          : tenants.take(caller.tenant.id, nowMs)
      exchange.quota = quota
      if (quota.exceeded) throw rateLimitExceeded(quota, nowMs)
    },
    countAs(exchange, { tenant }, requests) {
      const nowMs = clock.now()
      const counted = Math.min(requests, perTenant)
      const quota = tenants.takeMore(tenant.id, counted - 1, nowMs)
      exchange.quota = quota
      if (!quota.exceeded) return
      const left = `${quota.remaining} of ${quota.limit} are left in this minute`
      throw rateLimitExceeded(quota, nowMs, `This request counts as ${counted}, and ${left}.`)
    },
    mayGuess: (address) => !guesses.take(networkOf(address), clock.now()).exceeded,
    requireGuess(address) {
      const quota = guesses.peek(networkOf(address), clock.now())
      if (quota.remaining === 0)
        throw rateLimitExceeded(quota, clock.now(), 'Too many wrong sign-ins from your network.')
    },
    countGuess: (address) => void guesses.take(networkOf(address), clock.now()),
    peek: (address) => addresses.peek(networkOf(address), clock.now()),
  }
}

export function rateLimitExceeded(
  quota: Quota,
  nowMs: number,
  why = `Over ${quota.limit} requests in this minute.`,
): ApiError {
  const seconds = Math.max(1, Math.ceil(quota.resetAtSeconds - nowMs / 1000))
  return new ApiError('RATE_LIMIT_EXCEEDED', `${why} Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
