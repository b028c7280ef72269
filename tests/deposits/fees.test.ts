// The fee of a deposit at its edges.

import { describe, expect, it } from 'vitest'
import { depositFeeOf, depositFees } from '#deposits/fees.ts'
import { toMoney } from '#platform/money.ts'

describe('the fee of a deposit', () => {
  it.each([
    [1, 0],
    [99, 0],
    [100, 1],
    [10_099, 100],
    [2_999_999, 29_999],
    [3_000_000, 30_000],
    [900_000_000_000, 30_000],
  ])('of %i kobo is one per cent, rounded down, and never more than ₦300: %i', (amount, fee) => {
    expect(depositFeeOf(depositFees, toMoney(amount))).toBe(toMoney(fee))
  })
})
