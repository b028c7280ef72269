// Addresses of the internet and the networks that they belong to.

import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses and networks as an operator or a business lists them. */
export type Networks = { include(address: string): boolean }

const bitsOf: Record<number, number> = { 4: 32, 6: 128 }

/** An address, or a network such as 10.0.0.0/8 or 2001:db8::/32. One of IPv4 is written as such, not inside of IPv6. */
export function isNetwork(unchecked: string): boolean {
  const [address = '', bits, ...more] = unchecked.split('/')
  const bitsMax = bitsOf[isIP(address)]
  if (bitsMax === undefined || more.length > 0 || address.includes('%') || isMapped(address)) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)
}

/** Of texts that `isNetwork` has let pass. */
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

/** The network that `10.1.2.3/8` is in: `10.0.0.0/8`. Of a text that `isNetwork` has let pass and that has a length. */
export function networkTextOf(text: string): string {
  const ip = text.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4
  return `${ip.networkAddressFromCIDR(text).toString()}/${text.split('/')[1]}`
}

const loopback = createNetworks(['127.0.0.0/8', '::1'])

/** The one way in which an address is written here: as IPv4 where it is one inside of IPv6, and without a zone. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address
  return ipaddr.process(address.replace(/%.*$/, '')).toString()
}

/** Whom an address stands for. An IPv6 customer owns a whole /64: its addresses one by one would be 2^64 customers. */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  return plain.includes(':') ? ipaddr.IPv6.parse(plain).parts.slice(0, 4).join(':') : plain
}

/** A /24 of IPv4, a /64 of IPv6: what one customer of a network operator can usually choose from. */
export function customerNetworkOf(address: string): string {
  const network = networkOf(address)
  return network.includes('.') ? network.split('.').slice(0, 3).join('.') : network
}

/** 127.0.0.0/8 and ::1. */
export function isLoopback(address: string): boolean {
  return loopback.include(address)
}

/** By its name alone: 127.0.0.0/8, ::1, and what by convention is one of them. */
export function isLoopbackHost(host: string): boolean {
  return /^127(\.\d{1,3}){3}$|^\[?::1\]?$|^(.+\.)?localhost\.?$/i.test(host)
}

function isMapped(address: string): boolean {
  return isIP(address) === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()
}
