// Whose quota a request counts against where no key vouches for it, and the refusal of whoever is over theirs.

import ipaddr from 'ipaddr.js'
import { ApiError } from '#base/error.ts'
import type { Quota } from '#businesses/quota.ts'

/** An IPv6 customer owns a whole /64; counting single addresses would give each of them 2^64 quotas. */
export function networkOf(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return 'unknown'
  if (!remoteAddress.includes(':')) return remoteAddress
  const parsed = ipaddr.parse(remoteAddress)
  if (!(parsed instanceof ipaddr.IPv6)) return remoteAddress
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.parts.slice(0, 4).join(':')
}

export function rateLimitExceeded(quota: Quota, nowMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(quota.resetAtSeconds - nowMs / 1000))
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `Over ${quota.limit} requests in this minute. Try again in ${seconds} s.`,
    {
      headers: { 'Retry-After': String(seconds) },
    },
  )
}
