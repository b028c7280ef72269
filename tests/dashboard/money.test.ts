// Amounts on screen: the page reads back what it wrote, and loses no kobo.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sayFault } from '#dashboard/format/amount-faults.ts'
import { formatCompactMoney, formatMoney, parseMoney } from '#dashboard/format/money.ts'
import { sayMoney } from '#dashboard/format/money-words.ts'

const kobo = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })

describe('an amount', () => {
  it('is read back as it was written, to the kobo', () => {
    fc.assert(
      fc.property(kobo, (amount) => {
        expect(parseMoney(formatMoney(amount))).toEqual({ amount })
      }),
    )
  })

  it.each([
    [150_000, '₦1,500.00'],
    [0, '₦0.00'],
    [5, '₦0.05'],
    [-150_000, '\u2212₦1,500.00'],
    [Number.MAX_SAFE_INTEGER, '₦90,071,992,547,409.91'],
    [null, '–'],
  ])('of %s kobo is %s', (amount, text) => {
    expect(formatMoney(amount)).toBe(text)
  })

  it.each([
    ['1500', 150_000],
    ['1,500.00', 150_000],
    ['₦1 500.5', 150_050],
    [' 0.01 ', 1],
  ])('typed as %s is %s kobo', (text, amount) => {
    expect(parseMoney(text)).toEqual({ amount })
  })

  it.each([
    ['GHS', '1,500.5', 150_050],
    ['GHS', 'GHS 12.50', 1_250],
    ['XOF', '1,500', 1_500],
    ['XOF', 'xof 25', 25],
  ] as const)('of %s typed as %s is %s', (currency, text, amount) => {
    expect(parseMoney(text, currency)).toEqual({ amount })
  })

  it.each([
    ['GHS', '₦12.50'],
    ['GHS', 'XOF 12'],
    ['GHS', '1.234'],
    ['XOF', '12.50'],
    ['XOF', ''],
  ] as const)('of %s typed as “%s” is refused', (currency, text) => {
    expect(parseMoney(text, currency)).toEqual({ wrong: expect.any(String) })
  })

  it.each(['', '1.234', '1,50', '-5', '1e5', '12a', '1.5.0', '99999999999999999'])(
    'typed as “%s” is refused',
    (text) => {
      expect(parseMoney(text)).toEqual({ wrong: expect.any(String) })
    },
  )

  it.each([
    [120_000_000, '₦1.2m'],
    [100_000, '₦1k'],
    [99_900, '₦999'],
    [250_000_000_000, '₦2.5b'],
    [0, '₦0'],
  ])('of %s kobo is %s on an axis', (amount, text) => {
    expect(formatCompactMoney(amount)).toBe(text)
  })

  it.each([
    [100_000_000, 'One million naira'],
    [
      123_456_789,
      'One million two hundred and thirty-four thousand five hundred and sixty-seven naira, eighty-nine kobo',
    ],
    [100_000_500, 'One million and five naira'],
    [0, 'Zero naira'],
  ])('of %s kobo is said in words', (amount, words) => {
    expect(sayMoney(amount)).toBe(words)
  })
})

describe('a fault of an amount', () => {
  it.each([
    [
      'insufficient_balance',
      { required: 151_000, available: 100_000, currency: 'NGN' },
      'With its fee this needs ₦1,510.00, and ₦1,000.00 is available.',
    ],
    [
      'insufficient_balance',
      { required: 1_250, available: 0, currency: 'GHS' },
      'With its fee this needs GHS\u00a012.50, and GHS\u00a00.00 is available.',
    ],
    ['over_payment_limit', { max: 5_000_000, currency: 'NGN' }, 'The limit of one payout is ₦50,000.00.'],
    ['over_payment_limit', { max: 25_000, currency: 'XOF' }, 'The limit of one payout is XOF\u00a025,000.'],
    ['over_daily_limit', { max: 0, currency: 'NGN' }, 'The daily limit leaves ₦0.00 until midnight in Lagos.'],
    ['not_a_multiple', { step: 100, currency: 'UGX' }, 'The operator carries multiples of UGX\u00a0100 only.'],
    [
      'outside_range',
      { min: 100, max: 500_000, currency: 'GHS' },
      'The operator carries GHS\u00a01.00 to GHS\u00a05,000.00.',
    ],
    [
      'outside_range',
      {
        ranges: [
          { min: 100, max: 500 },
          { min: 1_000, max: 500_000 },
        ],
        currency: 'KES',
      },
      'The operator carries KES\u00a01.00 to KES\u00a05.00, or KES\u00a010.00 to KES\u00a05,000.00.',
    ],
    ['wrong_type', undefined, 'as the API says it'],
  ] as const)('of code %s with %o reads “%s”', (code, params, shown) => {
    const fault = { field: 'amount', message: 'as the API says it', code }
    expect(sayFault(params === undefined ? fault : { ...fault, params })).toBe(shown)
  })
})
