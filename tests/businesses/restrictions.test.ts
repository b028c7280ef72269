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
      sentence: expect.stringContaining('There are: read, collect, payout, webhooks, sandbox.'),
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
    [[], 'It is empty.'],
    [[''], 'It is empty.'],
    [['office.example.com'], '"office.example.com" is none.'],
    [['203.0.113.0/33'], '"203.0.113.0/33" is none.'],
    [['203.0.113'], '"203.0.113" is none.'],
    [['10.0.0.0/8', '203.0.113.7/24'], '203.0.113.7/24 is inside of a network: write 203.0.113.0/24, or'],
    [['2001:db8::1/32'], '2001:db8::1/32 is inside of a network: write 2001:db8::/32, or'],
    [Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`), 'There are at most 100 of them.'],
  ])('%j is refused with what to write instead', (texts, sentence) => {
    expect(parseNetworks(texts)).toEqual({ kind: 'wrong', sentence: expect.stringContaining(sentence) })
  })
})
