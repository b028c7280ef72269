// Decides whether a virtual account takes a payment, or why the money must go back: it is too little, too much, late, a
// second payment, or for a closed account. Pure; apply-notice.ts fails such a deposit, and refunds.ts sends its money back.

import { isoTime } from '#platform/clock.ts'
import { type Money, toWire } from '#platform/money.ts'
import type { VirtualAccount } from '#virtual-accounts/account.ts'
import { type Deposit, depositReference } from './deposit.ts'

const returnReasons = ['UNDERPAID', 'OVERPAID', 'EXPIRED', 'ALREADY_PAID', 'ACCOUNT_CLOSED'] as const
export type ReturnReason = (typeof returnReasons)[number]

export type DepositVerdict = { kind: 'accepted'; completes: boolean } | { kind: 'returned'; reason: ReturnReason }

/**
 * Checks whether the account accepts a payment. The time of the payment counts, not that of its notice: a late notice
 * does not make the payment late, so an account that has expired in the meantime still completes.
 */
export function judgeDeposit(
  { status, order, updatedAt }: VirtualAccount,
  amount: Money,
  paidAt: Date,
): DepositVerdict {
  if (order === null) {
    // A closed account never changes, and erasure keeps `updatedAt`, so `updatedAt` is the time of closing.
    const closedBefore = status === 'CLOSED' && paidAt >= updatedAt
    return closedBefore ? { kind: 'returned', reason: 'ACCOUNT_CLOSED' } : { kind: 'accepted', completes: false }
  }
  if (status === 'COMPLETED') return { kind: 'returned', reason: 'ALREADY_PAID' }
  if (paidAt >= order.expiresAt) return { kind: 'returned', reason: 'EXPIRED' }
  if (order.policy === 'exact' && amount < order.amount) return { kind: 'returned', reason: 'UNDERPAID' }
  if (order.policy === 'exact' && amount > order.amount) return { kind: 'returned', reason: 'OVERPAID' }
  return { kind: 'accepted', completes: true }
}

/** Why a deposit failed, as the API names the reasons. A deposit has no field for it, so `depositData` leaves it out. */
export const failureReasonNames = [
  'UNDERPAID',
  'OVERPAID',
  'LATE',
  'DUPLICATE_PAYMENT',
  'ACCOUNT_CLOSED',
  'PROVIDER_FAILED',
] as const

const reasonOfReturn: Record<ReturnReason, (typeof failureReasonNames)[number]> = {
  UNDERPAID: 'UNDERPAID',
  OVERPAID: 'OVERPAID',
  EXPIRED: 'LATE',
  ALREADY_PAID: 'DUPLICATE_PAYMENT',
  ACCOUNT_CLOSED: 'ACCOUNT_CLOSED',
}

export function failureData({ id, returnReason, amount, createdAt }: Deposit) {
  return {
    reference: depositReference(id),
    reason: returnReason === null ? ('PROVIDER_FAILED' as const) : reasonOfReturn[returnReason],
    amount: toWire(amount),
    createdAt: isoTime(createdAt),
  }
}
