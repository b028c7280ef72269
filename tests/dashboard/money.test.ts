// Money on screen: what is written is read back, and no kobo is lost in between.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inNaira } from '#dashboard/format/amount-faults.ts'
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
    ['required 151000, available 100000', 'With its fee this needs ₦1,510.00, and ₦1,000.00 is available.'],
    ['at most 5000000 in one payment', 'The limit of one payout is ₦50,000.00.'],
    [
      'at most 0 until 2026-01-15T23:00:00.000Z, when a new day begins in Lagos',
      'The daily limit leaves ₦0.00 until midnight in Lagos.',
    ],
    ['must be an integer', 'must be an integer'],
  ])('“%s” reads “%s”', (message, shown) => {
    expect(inNaira(message)).toBe(shown)
  })
})
