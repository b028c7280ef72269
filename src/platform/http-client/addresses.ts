// IP addresses and networks. Decides to which addresses the outgoing HTTP client may connect, resolves names for it,
// and explains network failures. `faultOfUrl` (webhooks/subscription.ts) checks the form of a webhook's URL.

import { Resolver } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import ipaddr from 'ipaddr.js'

export type Networks = { include(address: string): boolean }

const bitsOf: Record<number, number> = { 4: 32, 6: 128 }

/** Accepts an address, or a network such as 10.0.0.0/8 or 2001:db8::/32. Refuses IPv4 that is mapped into IPv6. */
export function isNetwork(unchecked: string): boolean {
  const [address = '', bits, ...more] = unchecked.split('/')
  const bitsMax = bitsOf[isIP(address)]
  if (bitsMax === undefined || more.length > 0 || address.includes('%') || isMapped(address)) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)
}

/** The texts must have passed `isNetwork`. */
export function createNetworks(texts: readonly string[]): Networks {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', bits] = text.split('/')
    const family = isIP(address)
    list.addSubnet(address, Number(bits ?? bitsOf[family]), family === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    include(address) {
      const family = isIP(address)
      return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** `10.1.2.3/8` becomes `10.0.0.0/8`. The text must have passed `isNetwork` and have a prefix length. */
export function networkTextOf(text: string): string {
  const ip = text.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4
  return `${ip.networkAddressFromCIDR(text).toString()}/${text.split('/')[1]}`
}

const loopback = createNetworks(['127.0.0.0/8', '::1'])

/** An IPv4 address that is mapped into IPv6 becomes plain; an IPv6 zone is removed. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address
  return ipaddr.process(address.replace(/%.*$/, '')).toString()
}

/** What counts as one client: an IPv4 address, or a /64 of IPv6, because one internet customer has a whole /64. */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  return plain.includes(':') ? ipaddr.IPv6.parse(plain).parts.slice(0, 4).join(':') : plain
}

/** A /24 of IPv4 or a /64 of IPv6: the addresses that one customer of an internet provider can usually choose from. */
export function customerNetworkOf(address: string): string {
  const network = networkOf(address)
  return network.includes('.') ? network.split('.').slice(0, 3).join('.') : network
}

export function isLoopback(address: string): boolean {
  return loopback.include(address)
}

/** Checks the text of the host name, without DNS. */
export function isLoopbackHost(host: string): boolean {
  return /^127(\.\d{1,3}){3}$|^\[?::1\]?$|^(.+\.)?localhost\.?$/i.test(host)
}

function isMapped(address: string): boolean {
  return isIP(address) === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()
}

// Resolves names and checks addresses for client.ts.

type Address = { address: string; family: number }

type Resolve = (hostname: string) => Promise<Address[]>

/**
 * A look-up for Node. It refuses a name if one of its addresses is not permitted. Node connects to the addresses that
 * were checked.
 */
export function guardedLookup(resolve: Resolve, permission: AddressRules): LookupFunction {
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

const absent = /^E(NOTFOUND|NODATA)$/

/**
 * The same message for a name that does not exist and for one with a private address, so that a customer cannot learn
 * which names exist in the operator's network.
 */
function leadsNowhere(reason: 'dns' | 'refused-address'): NetFailure {
  return new NetFailure(reason, 'the host name leads to no public address')
}

export const addressFailure = (): NetFailure =>
  new NetFailure('refused-address', 'the address is not a public one, so it is not called')

/** No request may call a `denied` address, even a public one. */
export type AddressRules = { allowLoopback: boolean; denied: Networks }

const nothingDenied = createNetworks([])
/** The public address of the host service of Azure, which virtual machines call. */
const platform = createNetworks(['168.63.129.16'])

const globalUnicast = ipaddr.IPv6.parse('2000::')

/**
 * `ipaddr` names the special ranges and calls every other address unicast. In IPv6 that includes ranges that were never
 * assigned, such as that of ::127.0.0.1, so only 2000::/3 is accepted. Addresses that embed an IPv4 address are
 * refused.
 */
export function isPermittedAddress(
  unchecked: string,
  { allowLoopback = false, denied = nothingDenied }: Partial<AddressRules> = {},
): boolean {
  if (isIP(unchecked) === 0 || !ipaddr.isValid(unchecked)) return false
  const address = ipaddr.parse(unchecked)
  if (denied.include(unchecked) || platform.include(unchecked)) return false
  const range = address.range()
  if (range === 'loopback') return allowLoopback
  if (range !== 'unicast' || !(address instanceof ipaddr.IPv6)) return range === 'unicast'
  return address.match(globalUnicast, 3) && !isIsatap(address)
}

/** An address that ends in 0:5efe:a.b.c.d or 200:5efe:a.b.c.d: a tunnel would call the IPv4 address in it. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}

/**
 * Uses DNS only, without /etc/hosts. The system resolver would run in a few threads, which dead name servers would
 * block for all requests. A new resolver for each name notices when the machine moves to another network.
 */
export async function resolveByDns(hostname: string): Promise<Address[]> {
  // The two tries wait 1 s and 2 s, so that a name server that ignores AAAA queries leaves time to connect.
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  const local = /(^|\.)localhost\.?$/.test(hostname)
  const found = local
    ? [{ status: 'fulfilled' as const, value: ['127.0.0.1', '::1'] }]
    : await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0 && found[0]?.status === 'rejected') throw found[0].reason
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

// Network failures, with messages that a customer may read.

export type NetFailureReason = 'timeout' | 'refused-address' | 'dns' | 'connect' | 'tls' | 'protocol' | 'aborted'

export class NetFailure extends Error {
  readonly reason: NetFailureReason

  constructor(reason: NetFailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const failures: [RegExp, NetFailureReason, string][] = [
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'timeout', 'no connection was made in time'],
  [/^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)$/, 'protocol', 'the request is not valid HTTP'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'protocol', 'the headers of the answer are too large'],
  [/^(HTTPParserError$|HPE_|UND_ERR_RES)/, 'protocol', 'the answer is not valid HTTP/1.1'],
]

/** The message may contain a code, but no address and no header, because those can be secrets of the operator. */
export function asFailure(error: unknown, url: URL, sent: boolean): NetFailure {
  if (error instanceof NetFailure) return error
  const code = codeOf(error)
  const known = failures.find(([codes]) => codes.test(code))
  if (known !== undefined) return new NetFailure(known[1], known[2])
  const inTcp =
    error instanceof AggregateError || (error instanceof Error && 'syscall' in error && error.syscall === 'connect')
  // With TLS 1.3 a server may reject the handshake after the client began to send.
  if (/^ERR_(SSL|TLS)/.test(code) || (!sent && !inTcp && url.protocol === 'https:')) {
    return new NetFailure('tls', `the TLS connection failed (${code})`)
  }
  if (!sent) return new NetFailure('connect', `no connection was made (${code})`)
  return new NetFailure('protocol', 'the connection was closed before the answer was complete')
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
