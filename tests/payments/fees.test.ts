// The fee of a payout at the edges of its schedule.

import { expect, it } from 'vitest'
import { payoutFeeOf, transferFees } from '#payments/fees.ts'
import { toMoney } from '#platform/money.ts'

it('rises by the steps of the schedule', () => {
  const amounts = [1n, 500_000n, 500_001n, 5_000_000n, 5_000_001n].map((amount) => toMoney(amount))
  const fees = amounts.map((amount) => payoutFeeOf(transferFees, amount))
  expect(fees).toEqual([1_000n, 1_000n, 2_500n, 2_500n, 5_000n])
  expect(() => payoutFeeOf([{ upTo: toMoney(5), fee: toMoney(1) }], toMoney(6))).toThrow('no end')
})

it('is one per cent of an amount in another currency than naira, rounded down', () => {
  expect(payoutFeeOf(transferFees, toMoney(10_099), 'GHS')).toBe(100n)
})
