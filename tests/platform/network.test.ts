import { describe, expect, it } from 'vitest'
import { createNetworks, isLoopbackHost, isNetwork, networkOf, plainAddress } from '#platform/http-client/addresses.ts'

describe('the text of a network', () => {
  it.each(['10.0.0.0/8', '192.0.2.7', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0', '10.1.2.3/8'])('%s is one', (text) =>
    expect(isNetwork(text)).toBe(true),
  )

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.1',
    '010.0.0.1',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/104',
    'proxy.internal',
    'loopback',
  ])('%j is none', (text) => expect(isNetwork(text)).toBe(false))

  it('includes its addresses, however they are written', () => {
    const { include } = createNetworks(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])
    for (const inside of ['10.255.1.1', '192.0.2.7', '2001:db8:1::1', '::ffff:10.0.0.1', '2001:0DB8::1'])
      expect(include(inside), inside).toBe(true)
    for (const outside of ['11.0.0.1', '192.0.2.8', '2001:db9::1', 'unknown', '', '::10.0.0.1'])
      expect(include(outside), outside).toBe(false)
    expect(createNetworks([]).include('127.0.0.1')).toBe(false)
  })
})

describe('an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:a00:1', '10.0.0.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', 'unknown'],
  ])('%s is written %s', (address, plain) => expect(plainAddress(address)).toBe(plain))

  it('counts as itself in IPv4, and as its /64 in IPv6', () => {
    expect(networkOf('10.0.0.1')).toBe('10.0.0.1')
    expect(networkOf('::ffff:10.0.0.1')).toBe('10.0.0.1')
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2:ffff::1'))
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
    expect(networkOf('fe80::1%eth0')).toBe(networkOf('fe80::2'))
    expect(networkOf('unknown')).toBe('unknown')
  })
})

it.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['manilla.internal', false],
])('the host %s is loopback: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected)
})
