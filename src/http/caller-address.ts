// Where a request comes from. Behind proxies that the operator trusts it is what they say, and of that only what nobody
// but they can have said: each puts the address that called it at the right end of X-Forwarded-For, so the first one
// from the right that is not theirs is the caller's. Whatever stands left of it the caller may have made up.

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createNetworks, plainAddress } from '#base/network.ts'

/** Of a request whose connection is gone already. */
export const unknownAddress = 'unknown'

export type CallerAddress = (request: IncomingMessage) => string

export function createCallerAddress(trustedProxies: readonly string[]): CallerAddress {
  const trusted = createNetworks(trustedProxies)
  return ({ socket, headers }) => {
    let address = addressOf(socket)
    let rest = String(headers['x-forwarded-for'] ?? '')
    while (rest !== '' && trusted.include(address)) {
      const comma = rest.lastIndexOf(',')
      const named = addressIn(rest.slice(comma + 1).trim())
      if (named === undefined) break // A proxy that does not know its caller: more is not known.
      address = named
      rest = rest.slice(0, Math.max(0, comma))
    }
    return address
  }
}

export function addressOf({ remoteAddress }: { remoteAddress?: string | undefined }): string {
  return remoteAddress === undefined ? unknownAddress : plainAddress(remoteAddress)
}

/** Some proxies name the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  return isIP(bare) === 0 ? undefined : plainAddress(bare)
}
