import { describe, expect, it } from 'vitest'
import { parseRailsFile, routesOf } from '#rails/rails-file.ts'

const paystack = { kind: 'paystack', environment: 'production', secretKey: '$PAYSTACK_KEY' }
const monnify = {
  kind: 'monnify',
  environment: 'production',
  apiKey: 'MK_1',
  secretKey: '$MONNIFY_SECRET',
  contractCode: '7',
  wallet: '8000000001',
}
const variables = { PAYSTACK_KEY: 'sk_live_x', MONNIFY_SECRET: 'quiet' }
const file = (more: Record<string, unknown> = {}) =>
  JSON.stringify({
    rails: { paystack, monnify },
    routes: { production: { NGN: { payout: [{ rail: 'paystack', weight: 70 }, { rail: 'monnify' }] } } },
    ...more,
  })
const parse = (content: string, given: Record<string, string> = variables) => parseRailsFile(content, given)

describe('RAILS_FILE', () => {
  it('names rails with their secrets, and routes in their order', () => {
    const parsed = parse(file())
    expect(parsed.rails['paystack']).toEqual({ ...paystack, secretKey: 'sk_live_x', trust: 'signed' })
    expect(routesOf(parsed, 'production', 'payout')).toEqual([
      { rail: 'paystack', weight: 70 },
      { rail: 'monnify', weight: 1 },
    ])
    expect(routesOf(parsed, 'staging', 'payout')).toEqual([])
  })

  const accounts = (port: string, rail: string) => ({
    routes: { production: { NGN: { [port]: [{ rail }] } } },
  })
  const payout = (route: Record<string, unknown>) => ({ routes: { production: { NGN: { payout: [route] } } } })
  it.each([
    ['is not JSON', '{', /^RAILS_FILE is not JSON: /],
    ['has an unknown member', file({ fallback: true }), /^RAILS_FILE: the document: .*fallback/],
    ['names no such kind', file({ rails: { acme: { kind: 'acme' } } }), /^RAILS_FILE: rails\.acme\.kind: /],
    [
      'misses a secret',
      file({ rails: { p: { ...paystack, secretKey: '$NOT_SET' } } }),
      /names \$NOT_SET, which is not set\.$/,
    ],
    [
      'has a test key in production',
      file({ rails: { p: { ...paystack, secretKey: 'sk_test_x' } }, routes: {} }),
      /rails\.p: the secret key of production begins with sk_live_/,
    ],
    [
      'goes to no such rail',
      file(payout({ rail: 'acme' })),
      /routes\.production\.NGN\.payout names acme, which is no rail/,
    ],
    [
      'goes to a rail of the other environment',
      file({
        rails: { p: { ...paystack, environment: 'staging', baseUrl: 'http://localhost:1' } },
        ...payout({ rail: 'p' }),
      }),
      /names p, which is a rail of staging\.$/,
    ],
    ['costs what is not in costs', file(payout({ rail: 'paystack', cost: 'none' })), /names the cost none/],
    [
      'has an address that anybody on the way can read',
      file({ rails: { p: { ...paystack, baseUrl: 'http://example.com' } } }),
      /rails\.p\.baseUrl: is https, or a host of this machine/,
    ],
    [
      'believes what is not signed',
      file({ rails: { m: { ...monnify, trust: 'reread' } }, routes: {} }),
      /rails\.m: what signs nothing needs a token/,
    ],
    [
      'opens accounts without an address for customers',
      file(accounts('virtualAccounts.static', 'monnify')),
      /virtualAccounts\.static names monnify: it has no "emailDomain"; add a domain of yours to that rail, such as "emailDomain": "pay\.example\.com"\.$/,
    ],
    [
      'opens accounts for one payment without an address for customers',
      file(accounts('virtualAccounts.dynamic', 'paystack')),
      /virtualAccounts\.dynamic names paystack: it has no "emailDomain"; /,
    ],
    [
      'has an address in place of a domain',
      file({ rails: { m: { ...monnify, emailDomain: 'ada@example.com' } }, routes: {} }),
      /rails\.m\.emailDomain: is a domain/,
    ],
  ])('that %s stops with a sentence', (_, content, sentence) => {
    expect(() => parse(content)).toThrow(sentence)
  })

  it('never says a secret', () => {
    const broken = file({ rails: { p: { ...paystack, environment: 'nowhere' } } })
    expect(() => parse(broken)).toThrow(/^(?!.*sk_live_x)/)
  })
})
