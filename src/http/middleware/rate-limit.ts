// Whose quota a request counts against: its tenant's, or its address's when no key vouches for it.

import ipaddr from 'ipaddr.js'
import { ApiError } from '#base/error.ts'
import type { Caller } from '#businesses/keyring.ts'
import type { Quota } from '#businesses/quota.ts'

export function bucketOf(caller: Caller | undefined, remoteAddress: string | undefined): string {
  return caller === undefined ? `address ${network(remoteAddress)}` : caller.tenant.id
}

export function rateLimitExceeded(quota: Quota, nowMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(quota.resetAtSeconds - nowMs / 1000))
  return new ApiError('RATE_LIMIT_EXCEEDED', `Over ${quota.limit} requests in this minute. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

/** An IPv6 customer owns a whole /64; counting single addresses would give each of them 2^64 quotas. */
function network(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (!address.includes(':')) return address
  const parsed = ipaddr.parse(address)
  if (!(parsed instanceof ipaddr.IPv6)) return address
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.parts.slice(0, 4).join(':')
}
