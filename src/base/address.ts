// Where may the service connect? Resolving names and judging addresses, for the one outgoing HTTP client (net.ts).

import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { codeOf, NetFailure } from './net-failure.ts'
import { createNetworks, type Networks } from './network.ts'

type Address = { address: string; family: number }

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<Address[]>

/** What it hands to Node is what it checked. One address that is not permitted refuses the name with all the others. */
export function guardedLookup(resolve: Resolve, permission: Permission): LookupFunction {
  return callbackify(async (hostname: string, _options: unknown) => {
    const addresses = await resolve(hostname).catch((error: unknown) => {
      const code = codeOf(error)
      if (absent.test(code)) throw leadsNowhere('dns')
      throw new NetFailure('dns', `the host name was not resolved (${code})`)
    })
    if (addresses.length === 0) throw leadsNowhere('dns')
    if (!addresses.every(({ address }) => isPermittedAddress(address, permission)))
      throw leadsNowhere('refused-address')
    return addresses.map(({ address }) => ({ address, family: isIP(address) }))
  })
}

/** What DNS says of a name that it does not know, or knows without an address. */
const absent = /^E(NOTFOUND|NODATA)$/

/** The same sentence for both: whether a name exists inside the operator's network is not a customer's business. */
function leadsNowhere(reason: 'dns' | 'refused-address'): NetFailure {
  return new NetFailure(reason, 'the host name leads to no public address')
}

export const refusal = (): NetFailure =>
  new NetFailure('refused-address', 'the address is not a public one, so it is not called')

/** What a request may call beside what everybody may, and what nobody may call. */
export type Permission = { allowLoopback: boolean; denied: Networks }

const nothingDenied = createNetworks([])
/** Answers virtual machines of Azure about themselves, from a public address. */
const platform = createNetworks(['168.63.129.16'])

const globalUnicast = ipaddr.IPv6.parse('2000::')

/**
 * The package names every special range; what is left it calls unicast. For IPv6 that still holds much that was never
 * given out, such as ::127.0.0.1, so only 2000::/3 counts. What carries an IPv4 address inside is refused outright.
 */
export function isPermittedAddress(
  unchecked: string,
  { allowLoopback = false, denied = nothingDenied }: Partial<Permission> = {},
): boolean {
  if (isIP(unchecked) === 0 || !ipaddr.isValid(unchecked)) return false
  const address = ipaddr.parse(unchecked)
  if (denied.include(unchecked) || platform.include(unchecked)) return false
  const range = address.range()
  if (range === 'loopback') return allowLoopback
  if (range !== 'unicast' || !(address instanceof ipaddr.IPv6)) return range === 'unicast'
  return address.match(globalUnicast, 3) && !isIsatap(address)
}

/** The second half is ::5efe:a.b.c.d or ::200:5efe:a.b.c.d: a tunnel would call the IPv4 address in it. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
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
