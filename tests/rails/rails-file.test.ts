import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseRailsFile, railNamed, routesOf } from '#rails/rails-file.ts'

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

const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string
const pawapay = { kind: 'pawapay', environment: 'production', apiToken: '$PAWAPAY_TOKEN' }
const pawapayFile = (more: Record<string, unknown>, routes: Record<string, unknown> = {}) =>
  file({ rails: { pawapay: { ...pawapay, apiToken: 'quiet', ...more } }, routes })

describe('RAILS_FILE', () => {
  it('names rails with their secrets, and routes in their order', () => {
    const parsed = parse(file())
    expect(parsed.rails['paystack']).toEqual({ ...paystack, secretKey: 'sk_live_x', trust: 'signed' })
    expect(routesOf(parsed, 'production', 'NGN', 'payout')).toEqual([
      { rail: 'paystack', weight: 70 },
      { rail: 'monnify', weight: 1 },
    ])
    expect(routesOf(parsed, 'staging', 'NGN', 'payout')).toEqual([])
  })

  it('takes the steps of costs in any order', () => {
    const steps = [
      { upTo: 500_000, fee: 1_000 },
      { upTo: 5_000_000, fee: 2_500 },
      { upTo: null, fee: 5_000 },
    ]
    expect(parse(file({ costs: { table: steps.toReversed() } })).costs['table']).toEqual(steps)
  })

  it('calls a rail that was renamed by its first name, in routes as well', () => {
    const renamed = { ...paystack, renamedFrom: 'paystack' }
    const routes = { production: { NGN: { payout: [{ rail: 'paystack-ng' }, { rail: 'monnify' }] } } }
    const parsed = parse(JSON.stringify({ rails: { 'paystack-ng': renamed, monnify }, routes }))
    expect(Object.keys(parsed.rails)).toEqual(['paystack', 'monnify'])
    expect(parsed.rails['paystack']).toMatchObject({ label: 'paystack-ng' })
    expect(routesOf(parsed, 'production', 'NGN', 'payout')).toMatchObject([{ rail: 'paystack' }, { rail: 'monnify' }])
    expect(['paystack', 'paystack-ng', 'monnify', 'nobody'].map((name) => railNamed(parsed, name))).toEqual([
      'paystack',
      'paystack',
      'monnify',
      undefined,
    ])
  })

  it('takes a signing key of pawaPay from a variable, also in one line', () => {
    const signing = { keyId: 'manilla-1', privateKey: '$PEM' }
    for (const written of [pem, pem.replaceAll('\n', String.raw`\n`)])
      expect(parse(pawapayFile({ signing }), { PEM: written }).rails['pawapay']).toMatchObject({
        signing: { keyId: 'manilla-1', privateKey: pem },
        callbacks: 'signed',
      })
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
    [
      'pays banks in another currency',
      file({ routes: { production: { GHS: { payout: [{ rail: 'paystack' }] } } } }),
      /routes\.production\.GHS\.payout: bank transfers and virtual accounts are NGN only; GHS has momoPayout, /,
    ],
    [
      'has no such currency',
      file({ routes: { production: { CEDI: { momoPayout: [{ rail: 'paystack' }] } } } }),
      /^RAILS_FILE: routes\.production/,
    ],
    [
      'has no such country',
      file({ routes: { production: { NGN: { momoPayout: [{ rail: 'paystack', countries: ['Nigeria'] }] } } } }),
      /momoPayout\.0\.countries\.0: is two capital letters, such as GH/,
    ],
    [
      'sends mobile money to a rail that has none',
      file({ routes: { production: { NGN: { momoPayout: [{ rail: 'monnify' }] } } } }),
      /NGN\.momoPayout names monnify: Monnify pays Nigerian banks and has no mobile money\.$/,
    ],
    [
      'pays in a currency that the account does not have',
      file({ routes: { production: { GHS: { momoPayout: [{ rail: 'paystack' }] } } } }),
      /GHS\.momoPayout names paystack: a Paystack account of NG has no GHS\.$/,
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
      /rails\.m: a provider that does not sign its notices needs a "token"/,
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
      'names one account twice',
      file({ rails: { paystack, 'paystack-wema': { ...paystack, dvaBank: 'wema-bank' } }, routes: {} }),
      /rails\.paystack and rails\.paystack-wema are the same paystack account: they have the same key\. One account has one/,
    ],
    [
      'names one contract twice, in two environments',
      file({
        rails: { monnify, other: { ...monnify, environment: 'staging', apiKey: 'MK_2', wallet: '8000000002' } },
        routes: {},
      }),
      /are the same monnify account: they have the same contract\./,
    ],
    [
      'names one wallet twice',
      file({ rails: { monnify, other: { ...monnify, apiKey: 'MK_2', contractCode: '8' } }, routes: {} }),
      /they have the same wallet\./,
    ],
    [
      'renames a rail to one that is there',
      file({ rails: { paystack, monnify: { ...monnify, renamedFrom: 'paystack' } }, routes: {} }),
      /rails\.paystack and rails\.monnify both go by the name paystack\.$/,
    ],
    [
      'has a signing key that is none',
      pawapayFile({ signing: { keyId: 'k', privateKey: 'key' } }),
      /rails\.pawapay: signing\.privateKey is not a private key in PEM\.?$/,
    ],
    [
      'has unsigned callbacks without a token',
      pawapayFile({ callbacks: 'unsigned' }),
      /rails\.pawapay: a provider that does not sign its notices needs a "token"/,
    ],
    [
      'names one token of pawaPay twice',
      file({ rails: { pawapay: { ...pawapay, apiToken: 'a' }, other: { ...pawapay, apiToken: 'a' } }, routes: {} }),
      /rails\.pawapay and rails\.other are the same pawapay account: they have the same token\./,
    ],
    [
      'sends bank transfers to pawaPay',
      pawapayFile({}, { production: { NGN: { payout: [{ rail: 'pawapay' }] } } }),
      /names pawapay: pawaPay serves momoPayout and momoCollection\.$/,
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
