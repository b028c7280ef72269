import { describe, expect, it } from 'vitest'
import { parseNetworks, parseScopes } from '#businesses/keyring.ts'

const parsed = (value: string[]) => ({ kind: 'parsed', value })

describe('scopes', () => {
  it.each([
    [['read'], ['read']],
    [
      ['payout', 'read', 'payout'],
      ['read', 'payout'],
    ],
    [
      ['sandbox', 'webhooks', 'payout', 'collect', 'read'],
      ['read', 'collect', 'payout', 'webhooks', 'sandbox'],
    ],
  ])('%j is %j', (words, scopes) => {
    expect(parseScopes(words)).toEqual(parsed(scopes))
  })

  it.each([[[]], [['']], [['Read']], [['read', 'pay']], [['any']], [['all']]])('%j is refused by name', (words) => {
    expect(parseScopes(words)).toEqual({
      kind: 'wrong',
      sentence: expect.stringContaining('The scopes are read, collect, payout, webhooks, sandbox.'),
    })
  })
})

describe('networks', () => {
  it.each([
    [['203.0.113.7']],
    [['203.0.113.0/24', '10.0.0.0/8', '203.0.113.7/32']],
    [['2001:db8::/32', '2001:db8::1']],
    [['0.0.0.0/0']],
  ])('%j is taken as it is', (texts) => {
    expect(parseNetworks(texts)).toEqual(parsed(texts))
  })

  it.each([
    [[], 'Name an address or a network.'],
    [[''], 'Name an address or a network.'],
    [['office.example.com'], '"office.example.com" is not an address or a network.'],
    [['203.0.113.0/33'], '"203.0.113.0/33" is not an address or a network.'],
    [['203.0.113'], '"203.0.113" is not an address or a network.'],
    [['10.0.0.0/8', '203.0.113.7/24'], '203.0.113.7/24 is an address inside a network: write 203.0.113.0/24, or'],
    [['2001:db8::1/32'], '2001:db8::1/32 is an address inside a network: write 2001:db8::/32, or'],
    [Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`), 'At most 100 addresses and networks are allowed.'],
  ])('%j is refused with what to write instead', (texts, sentence) => {
    expect(parseNetworks(texts)).toEqual({ kind: 'wrong', sentence: expect.stringContaining(sentence) })
  })
})
