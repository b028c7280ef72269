// The fee of incoming money: of a deposit, and of a collection, which becomes a deposit. payments/fees.ts has the fee of a
// payout.

import { type Currency, type Money, toMoney } from '#platform/money.ts'

/** A share of the amount, rounded down, up to a maximum that applies to naira only. */
export type DepositFees = { basisPoints: bigint; most: Money }

/** 1 %, at most ₦300. */
export const depositFees: DepositFees = { basisPoints: 100n, most: toMoney(30_000) }

export function depositFeeOf({ basisPoints, most }: DepositFees, amount: Money, currency: Currency = 'NGN'): Money {
  const part = toMoney((amount * basisPoints) / 10_000n)
  return part < most || currency !== 'NGN' ? part : most
}
