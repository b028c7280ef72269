// The fee of a payout, which the business pays on top of the amount. deposits/fees.ts has the fee of incoming money, also of
// a collection.

import { present } from '#platform/assert.ts'
import { type Currency, type Money, toMoney } from '#platform/money.ts'

/** Steps in ascending order: an amount up to `upTo` costs `fee`; the last step has no upper end. */
export type FeeSchedule = { upTo: Money | null; fee: Money }[]

/** ₦10 up to ₦5,000, ₦25 up to ₦50,000, ₦50 above. */
export const transferFees: FeeSchedule = [
  { upTo: toMoney(500_000), fee: toMoney(1_000) },
  { upTo: toMoney(5_000_000), fee: toMoney(2_500) },
  { upTo: null, fee: toMoney(5_000) },
]

/**
 * The steps of a fee schedule are amounts in naira. A payout in any other currency costs this share of its amount,
 * rounded down.
 */
const foreignFeeBasisPoints = 100n

export function payoutFeeOf(schedule: FeeSchedule, amount: Money, currency: Currency = 'NGN'): Money {
  if (currency !== 'NGN') return toMoney((amount * foreignFeeBasisPoints) / 10_000n)
  const step = schedule.find(({ upTo }) => upTo === null || amount <= upTo)
  return present(step, 'the last step of a fee schedule has no end').fee
}
