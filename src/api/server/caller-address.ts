// The address that a request comes from. Behind proxies of TRUSTED_PROXIES it is the address that they report in
// X-Forwarded-For, otherwise that of the connection. Rate limits, allowed addresses of keys, the audit log and the
// request log use it.

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createNetworks, plainAddress } from '#platform/http-client/addresses.ts'

export type CallerAddress = (request: IncomingMessage) => string

/**
 * Each proxy appends the address that called it to the right end of X-Forwarded-For. So the first address from the
 * right that is not a trusted proxy is the caller; the caller may have forged everything to the left of it.
 */
export function createCallerAddress(trustedProxies: readonly string[]): CallerAddress {
  const trusted = createNetworks(trustedProxies)
  return ({ socket, headers }) => {
    let address = addressOf(socket)
    let rest = String(headers['x-forwarded-for'] ?? '')
    while (rest !== '' && trusted.include(address)) {
      const comma = rest.lastIndexOf(',')
      const named = addressIn(rest.slice(comma + 1).trim())
      if (named === undefined) break // The proxy wrote no address, such as `unknown`.
      address = named
      rest = rest.slice(0, Math.max(0, comma))
    }
    return address
  }
}

/** Used if the connection is already closed. */
const unknownAddress = 'unknown'

export function addressOf({ remoteAddress }: { remoteAddress?: string | undefined }): string {
  return remoteAddress === undefined ? unknownAddress : plainAddress(remoteAddress)
}

/** Accepts an address with a port, as some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? undefined : plainAddress(bare)
}
