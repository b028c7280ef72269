// Where may the service connect? Resolving names and judging addresses, for the one outgoing HTTP client (net.ts).

import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { codeOf, NetFailure } from './net-failure.ts'

type Address = { address: string; family: number }

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<Address[]>

/** What it hands to Node is what it checked. One address that is not permitted refuses the name with all the others. */
export function guardedLookup(resolve: Resolve, allowLoopback: boolean): LookupFunction {
  return callbackify(async (hostname: string, _options: unknown) => {
    const addresses = await resolve(hostname).catch((error: unknown) => {
      throw new NetFailure('dns', `the host name was not resolved (${codeOf(error)})`)
    })
    if (addresses.length === 0) throw new NetFailure('dns', 'the host name has no address')
    if (!addresses.every(({ address }) => isPermittedAddress(address, allowLoopback))) throw refusal()
    return addresses.map(({ address }) => ({ address, family: isIP(address) }))
  })
}

export const refusal = (): NetFailure =>
  new NetFailure('refused-address', 'the address is not a public one, so it is not called')

const globalUnicast = ipaddr.IPv6.parse('2000::')

/**
 * The package names every special range; what is left it calls unicast. For IPv6 that still holds much that was never
 * given out, such as ::127.0.0.1, so only 2000::/3 counts. What carries an IPv4 address inside is refused outright.
 */
export function isPermittedAddress(unchecked: string, allowLoopback = false): boolean {
  if (isIP(unchecked) === 0 || !ipaddr.isValid(unchecked)) return false
  const address = ipaddr.parse(unchecked)
  const range = address.range()
  if (range === 'loopback') return allowLoopback
  return range === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast, 3))
}

/**
 * DNS alone, without /etc/hosts: the system's own look-up runs on two threads, which a few dead name servers would
 * hold up for everybody. A resolver of its own for each name notices when the machine moves to another network.
 */
export async function resolveByDns(hostname: string): Promise<Address[]> {
  // 1 s and then 2 s: also a name whose server ignores AAAA questions leaves time to connect.
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  const local = /(^|\.)localhost\.?$/.test(hostname)
  const found = local
    ? [{ status: 'fulfilled' as const, value: ['127.0.0.1', '::1'] }]
    : await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0 && found[0]?.status === 'rejected') throw found[0].reason
  return addresses.map((address) => ({ address, family: isIP(address) }))
}
