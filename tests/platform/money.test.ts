import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  add,
  amountMax,
  currencies,
  decimalsOf,
  formatMoney,
  formatNaira,
  negate,
  toMoney,
  toWire,
  zero,
} from '#platform/money.ts'

const onTheWire = fc.maxSafeInteger()

describe('money on the wire', () => {
  it('is the same integer as the bigint', () => {
    fc.assert(
      fc.property(onTheWire, (amount) => {
        expect(toWire(toMoney(amount))).toBe(amount)
      }),
    )
    expect(toWire(amountMax)).toBe(9_007_199_254_740_991)
    expect(toWire(zero)).toBe(0)
  })

  it('is refused where a double would lose a kobo', () => {
    const beyond = fc.bigInt({ min: amountMax + 1n }).chain((amount) => fc.constantFrom(amount, -amount))
    fc.assert(
      fc.property(beyond, (amount) => {
        expect(() => toWire(toMoney(amount))).toThrow(/does not fit a JSON integer/)
      }),
    )
  })

  it('is refused in a request if it is not a whole number', () => {
    for (const unchecked of [1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => toMoney(unchecked)).toThrow(RangeError)
    }
  })
})

describe('sums', () => {
  it('are exact, also where doubles are not', () => {
    expect(add(amountMax, toMoney(2))).toBe(9_007_199_254_740_993n)
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (left, right) => {
        expect(add(add(toMoney(left), toMoney(right)), negate(toMoney(right)))).toBe(left)
      }),
    )
  })
})

it('is shown to people in naira, to the kobo', () => {
  expect([0n, 5n, 150_000n, -123_456_789n, amountMax].map((amount) => formatNaira(toMoney(amount)))).toEqual([
    '₦0.00',
    '₦0.05',
    '₦1,500.00',
    '-₦1,234,567.89',
    '₦90,071,992,547,409.91',
  ])
})

it('is formatted with the decimals of its currency', () => {
  expect(formatMoney(toMoney(1250), 'GHS')).toBe('GHS 12.50')
  expect(formatMoney(toMoney(1_500_000), 'XOF')).toBe('XOF 1,500,000')
  expect(formatMoney(toMoney(-9_007_199_254_740_991n), 'UGX')).toBe('-UGX 9,007,199,254,740,991')
  expect(currencies.filter((currency) => decimalsOf(currency) === 0)).toEqual(['UGX', 'RWF', 'XOF', 'XAF'])
})
