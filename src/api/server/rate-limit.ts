// Counts each request against the quota of its tenant (RATE_LIMIT_PER_MINUTE, by default 60,000 a minute), or of its
// network if it has no valid key (RATE_LIMIT_ANONYMOUS_PER_MINUTE, by default 600). A request from an address that its
// key does not allow counts against the network alone, so that a thief cannot use up the quota of the business. The
// window and the shared counters are in businesses/quota.ts.

import type { Clock } from '#platform/clock.ts'
import { ApiError } from '#platform/errors.ts'
import { networkOf } from '#platform/http-client/addresses.ts'
import type { Caller } from '#businesses/keyring.ts'
import { createQuotaCounter, type Quota, type ShareCount } from '#businesses/quota.ts'
import type { Exchange } from './exchange.ts'

export type RateLimit = {
  /** Counts the request. Throws if its tenant or network has used up this minute's quota. */
  count(exchange: Exchange): void
  /**
   * Counts a request as `requests` requests, or as the whole quota if that is less. `count` has counted one of them
   * already. Throws if too little of the quota is left; then the request still counts as one.
   */
  countAs(exchange: Exchange, caller: Caller, requests: number): void
  /** Counts a look-up of an unknown key. Returns false if the network has used up its look-ups in the database. */
  mayGuess(address: string): boolean
  /**
   * Throws if the network sent too many unknown keys or session tokens in this minute. Does not count; call `countGuess`
   * after an unknown one.
   */
  requireGuess(address: string): void
  countGuess(address: string): void
  /** The quota that a response reports if its request does not count. */
  peek(address: string): Quota
}

export type RateLimitOptions = {
  perTenant: number
  perAddress: number
  guessesPerNetwork: number
  clock: Clock
  /** Shares the counts with the other processes. Absent: this process counts only its own requests. */
  shareCount?: ShareCount
}

/** Further networks share one entry, so that a million forged addresses do not fill the memory. */
const addressesMax = 100_000

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perTenant, perAddress, guessesPerNetwork, clock, shareCount } = options
  const tenants = createQuotaCounter({ limit: perTenant, shareCount })
  // Both counters can share `shareCount`, because the text of a network never equals a tenant's id.
  const addresses = createQuotaCounter({ limit: perAddress, bucketsMax: addressesMax, shareCount })
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
