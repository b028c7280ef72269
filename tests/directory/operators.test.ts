import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBank } from '#directory/banks.ts'
import data from '#directory/data/momo-operators.json' with { type: 'json' }
import {
  createPrefixIndex,
  findOperator,
  listOperators,
  predictOperator,
  type CountryRecord,
  parsePhoneNumber,
} from '#directory/operators.ts'

describe('mobile-money operators', () => {
  it('are the four of the contract, with their ways of approving a collection', () => {
    const shown = listOperators().map(({ slug, country, currency, requiresOtp, supports, status }) => {
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
    for (const { slug, nipCode, providerCodes } of listOperators()) {
      expect(findBank(providerCodes['paystackBankSlug'] ?? ''), slug).toMatchObject({ type: 'psb', nipCode })
    }
  })

  it('take every amount from one kobo', () => {
    for (const operator of listOperators()) {
      expect(operator).toMatchObject({ minAmount: 1n, maxAmount: BigInt(Number.MAX_SAFE_INTEGER) })
    }
  })

  it('are found by their exact slug', () => {
    for (const operator of listOperators()) expect(findOperator(operator.slug)).toBe(operator)
    for (const slug of ['', 'opay', 'MTN-MOMO', 'mtn-gh', '__proto__']) expect(findOperator(slug), slug).toBeUndefined()
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

  it.each(['+2347020000000', '+2346000000000', '+233240000000', '+12025550123', '+234', ''])(
    'of %j gives none',
    (phoneNumber) => {
      expect(predictOperator('staging', phoneNumber)).toBeUndefined()
    },
  )

  it('takes every prefix of the list for its own operator', () => {
    for (const { slug, prefixes } of listOperators()) {
      for (const prefix of prefixes) {
        expect(predictOperator('production', `+234${prefix.padEnd(10, '0')}`)?.slug, prefix).toBe(slug)
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
  ])('of %s in the data of other countries gives %s, by the longest prefix', (phoneNumber, slug) => {
    expect(createPrefixIndex(data.countries as CountryRecord[])(phoneNumber)).toBe(slug)
  })

  it('takes the simulator’s phones for MTN on staging and for nobody’s in production', () => {
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
    '+233240000000',
    '++2348030000000',
    '0803 000 0000',
    '0803-000-0000',
    '٠٨٠٣٠٠٠٠٠٠٠',
    '08030000000\n',
    'momo',
  ])('%j is none', (text) => {
    expect(parsePhoneNumber(text)).toBeUndefined()
  })
})
