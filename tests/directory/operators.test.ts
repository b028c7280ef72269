import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBank } from '#directory/banks.ts'
import { createResolver } from '#directory/resolve.ts'
import { present } from '#platform/assert.ts'
import type { Environment } from '#platform/context.ts'
import { currencies, decimalsOf, type Currency } from '#platform/money.ts'
import type { RailRoute } from '#rails/rails-file.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import {
  findOperator,
  listOperators,
  predictOperator,
  parsePhoneNumber,
  servesNumber,
  type MomoOperator,
} from '#directory/operators.ts'

describe('mobile-money operators', () => {
  it('of Nigeria are these four, with their ways of approving a collection', () => {
    const shown = listOperators({ country: 'NG' }).map(({ slug, country, currency, requiresOtp, supports, status }) => {
      return { slug, country, currency, requiresOtp, supports, status }
    })
    const common = { country: 'NG', currency: 'NGN', supports: { transfer: true, collection: true }, status: 'active' }
    expect(shown).toEqual([
      { slug: 'mtn-momo', requiresOtp: false, ...common },
      { slug: 'airtel-smartcash', requiresOtp: false, ...common },
      { slug: '9psb', requiresOtp: true, ...common },
      { slug: 'moneymaster', requiresOtp: true, ...common },
    ])
  })

  it('are the payment service banks of the list of banks', () => {
    for (const { slug, nipCode, providerCodes } of listOperators({ country: 'NG' })) {
      expect(findBank(providerCodes['paystackBankSlug'] ?? ''), slug).toMatchObject({ type: 'psb', nipCode })
    }
  })

  it('stand for 23 countries, each with a currency of the service and a slug of its own', () => {
    const all = listOperators()
    expect(new Set(all.map(({ country }) => country)).size).toBe(23)
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(all.length)
    for (const { slug, currency } of all) expect(currencies, slug).toContain(currency)
    expect(all.slice(0, 4).every(({ country }) => country === 'NG')).toBe(true)
  })

  it('carry no more decimals than their currency, and take every amount from the smallest that they carry', () => {
    for (const { slug, currency, decimals, ...operator } of listOperators()) {
      expect(decimals, slug).toBeLessThanOrEqual(decimalsOf(currency))
      const minAmount = 10n ** BigInt(decimalsOf(currency) - decimals)
      expect(operator).toMatchObject({ minAmount, maxAmount: BigInt(Number.MAX_SAFE_INTEGER) })
    }
    expect(findOperator('mtn-gh')).toMatchObject({ decimals: 2, minAmount: 1n })
    expect(findOperator('vodacom-tz')).toMatchObject({ currency: 'TZS', decimals: 0, minAmount: 100n })
    expect(findOperator('orange-ci')).toMatchObject({ currency: 'XOF', decimals: 0, minAmount: 1n })
  })

  it.each([
    [{ country: 'GH' }, ['mtn-gh', 'telecel-gh', 'airteltigo-gh']],
    [{ currency: 'RWF' }, ['mtn-rw', 'airtel-rw']],
    [{ country: 'CI', currency: 'XAF' }, []],
    [{ search: 'M-PESA kenya' }, ['mpesa-ke', 'mpesa-till', 'mpesa-paybill']],
    [{ country: 'SN', search: 'wave' }, ['wave-sn']],
  ])('are found by %j', (filter, slugs) => {
    expect(listOperators(filter).map(({ slug }) => slug)).toEqual(slugs)
  })

  it('of tills and paybills pay businesses by number, serve no phone, and pay nothing in', () => {
    for (const [slug, recipient] of [
      ['mpesa-till', 'till'],
      ['mpesa-paybill', 'paybill'],
    ] as const) {
      const operator = present(findOperator(slug), `the directory has ${slug}`)
      expect(operator).toMatchObject({ recipient, prefixes: [], supports: { transfer: true, collection: false } })
      expect(servesNumber(operator, '+254710000001')).toBe(false)
    }
    const predicted = ['+254710000001', '+254247247', '247247', ''].map((number) => predictOperator('staging', number))
    expect(predicted.map((one) => one?.slug)).toEqual(['mpesa-ke', undefined, undefined, undefined])
  })

  it('are found by their exact slug', () => {
    for (const operator of listOperators()) expect(findOperator(operator.slug)).toBe(operator)
    for (const slug of ['', 'opay', 'MTN-MOMO', '__proto__']) expect(findOperator(slug), slug).toBeUndefined()
  })
})

describe('predicting an operator', () => {
  it.each([
    ['+2348030000000', 'mtn-momo'],
    ['+2347025000000', 'mtn-momo'],
    ['+2347026999999', 'mtn-momo'],
    ['+2348020000000', 'airtel-smartcash'],
    ['+2349120000000', 'airtel-smartcash'],
    ['+2348090000000', '9psb'],
    ['+2349090000000', '9psb'],
    ['+2348050000000', 'moneymaster'],
    ['+2349150000000', 'moneymaster'],
  ])('of %s gives %s in both environments', (phoneNumber, slug) => {
    expect(predictOperator('staging', phoneNumber)?.slug).toBe(slug)
    expect(predictOperator('production', phoneNumber)?.slug).toBe(slug)
  })

  it.each(['+2347020000000', '+2346000000000', '+12025550123', '+234', ''])('of %j gives none', (phoneNumber) => {
    expect(predictOperator('staging', phoneNumber)).toBeUndefined()
  })

  it('takes every prefix of the list for its own operator', () => {
    for (const { slug, callingCode, prefixes } of listOperators()) {
      for (const prefix of prefixes) {
        expect(predictOperator('production', `+${callingCode}${prefix}`)?.slug, prefix).toBe(slug)
      }
    }
  })

  it.each([
    ['+254750000000', 'airtel-ke'],
    ['+254757000000', 'mpesa-ke'],
    ['+256700000000', 'airtel-ug'],
    ['+256790000000', 'mtn-ug'],
    ['+256795000000', 'airtel-ug'],
    ['+2250700000000', 'orange-ci'],
  ])('of %s gives %s, by the longest prefix', (phoneNumber, slug) => {
    expect(predictOperator('staging', phoneNumber)?.slug).toBe(slug)
  })

  it('takes the simulator’s phones for MTN on staging and for no operator in production', () => {
    for (let end = 1; end <= 9; end++) {
      expect(predictOperator('staging', `+234800000000${end}`)?.slug).toBe('mtn-momo')
      expect(predictOperator('production', `+234800000000${end}`)).toBeUndefined()
    }
  })
})

describe('phone numbers', () => {
  it('of all three forms become one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{9}$/), (national) => {
        for (const form of [`0${national}`, `234${national}`, `+234${national}`]) {
          expect(parsePhoneNumber(form)).toBe(`+234${national}`)
        }
      }),
    )
  })

  it.each([
    '',
    '0',
    '8030000000',
    '080300000000',
    '0803000000',
    '+23480300000',
    '+234080300000',
    '23408030000000',
    '00000000000',
    '0241234567',
    '+23324123456',
    '+12025550123',
    '++2348030000000',
    '0803 000 0000',
    '0803-000-0000',
    '٠٨٠٣٠٠٠٠٠٠٠',
    '08030000000\n',
    'momo',
  ])('%j is none', (text) => {
    expect(parsePhoneNumber(text)).toBeUndefined()
  })

  it.each([
    ['+233240000001', undefined, '+233240000001'],
    ['233240000001', undefined, '+233240000001'],
    ['0241234567', 'GH', '+233241234567'],
    ['241234567', 'GH', '+233241234567'],
    ['+233241234567', 'GH', '+233241234567'],
    ['0712345678', 'KE', '+254712345678'],
    ['0700000001', 'CI', '+2250700000001'],
    ['+2250700000001', undefined, '+2250700000001'],
    ['0197000001', 'BJ', '+2290197000001'],
    ['077123456', 'GA', '+24177123456'],
    ['+254712345678', 'GH', undefined],
    ['08030000000', 'GH', undefined],
    ['024123', 'GH', undefined],
    ['0241234567', undefined, undefined],
  ])('%s in %s is %s', (text, country, full) => {
    expect(parsePhoneNumber(text, country)).toBe(full)
  })

  it('of every prefix of every operator are read, in their international form', () => {
    const lengths = { 8: 'BF GA LS ML NE SL TG'.split(' '), 10: 'BJ CI NG'.split(' ') }
    for (const { slug, country, callingCode, prefixes } of listOperators()) {
      const length = lengths[8].includes(country) ? 8 : lengths[10].includes(country) ? 10 : 9
      for (const prefix of prefixes) {
        const phoneNumber = `+${callingCode}${prefix.padEnd(length - 3, '0')}001`
        expect(parsePhoneNumber(phoneNumber), `${slug} ${phoneNumber}`).toBe(phoneNumber)
      }
    }
  })
})

describe('operators that an environment can serve', () => {
  const simulated = createSimulator({ clock: createFakeClock(), settleMs: 1_000 })
  const routes: RailRoute[] = [{ rail: 'acme', weight: 1, countries: ['GH'], operators: ['mtn-gh'] }]
  const routing = {
    policy: 'weight' as const,
    costs: {},
    rails: { production: [{ name: 'acme', momoPayout: simulated.momoPayout }] },
    routesOf: (environment: Environment, currency: Currency, port: string) =>
      environment === 'production' && currency === 'GHS' && port === 'momoPayout' ? routes : [],
  }
  const slugs = (list: MomoOperator[]) => list.map(({ slug }) => slug)
  const nigerian = ['mtn-momo', 'airtel-smartcash', '9psb', 'moneymaster']

  it('are all on staging, and those of Nigeria where no rail is configured', () => {
    const resolver = createResolver({ rails: createRailRegistry({ clock: createFakeClock(), settleMs: 1_000 }) })
    expect(resolver.operators('staging', {})).toHaveLength(listOperators().length)
    expect(slugs(resolver.operators('production', {}))).toEqual(nigerian)
  })

  it('are those that a route leads to, with what it serves', () => {
    const resolver = createResolver({
      rails: createRailRegistry({ clock: createFakeClock(), settleMs: 1_000, routing }),
    })
    expect(slugs(resolver.operators('production', {}))).toEqual(['mtn-gh'])
    const [ghanaian] = resolver.operators('production', { country: 'GH' })
    expect(ghanaian?.supports).toEqual({ transfer: true, collection: false })
  })

  it('are tills and paybills only where a rail that has them pays in shillings', () => {
    const simulator = createSimulator({ clock: createFakeClock(), settleMs: 1_000 })
    const servedBy = (provider: string): string[] => {
      const serves = ({ providerCodes }: { providerCodes: Readonly<Record<string, string>> }) =>
        provider in providerCodes
      const rail = { name: 'one', momoPayout: { ...simulator.momoPayout, serves } }
      const toRail: RailRoute = { rail: 'one', weight: 1 }
      const rails = createRailRegistry({
        clock: createFakeClock(),
        settleMs: 1_000,
        routing: {
          policy: 'weight',
          costs: {},
          rails: { production: [rail] },
          routesOf: (_environment, currency, port) => (currency === 'KES' && port === 'momoPayout' ? [toRail] : []),
        },
      })
      return slugs(createResolver({ rails }).operators('production', { country: 'KE' }))
    }
    expect(servedBy('paystackBankCode')).toEqual(['mpesa-ke', 'mpesa-till', 'mpesa-paybill'])
    expect(servedBy('pawapay')).toEqual(['mpesa-ke'])
  })
})
