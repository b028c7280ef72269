// A virtual account: a number to pay into. Its kinds, its states and the verdict over a payment; pure. The drawing of
// the states is docs/states.md.

import type { OfTenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import type { Currency, Kobo } from '#base/money.ts'

export const accountTypes = ['static', 'dynamic'] as const
export type AccountType = (typeof accountTypes)[number]

export const accountStatuses = ['ACTIVE', 'COMPLETED', 'EXPIRED', 'CLOSED'] as const
export type AccountStatus = (typeof accountStatuses)[number]

export const amountPolicies = ['exact', 'any'] as const
export type AmountPolicy = (typeof amountPolicies)[number]

export type VirtualAccount = OfTenant & {
  id: Uuid
  type: AccountType
  /** Static: its customer's. Dynamic: the business's own, when it gave one. */
  reference: string | null
  accountNumber: string
  accountName: string
  bankName: string
  bankSlug: string
  /** Which opened it, and by what it closes it. Empty: a version that did not note it. */
  rail: string
  handle: string | null
  currency: Currency
  status: AccountStatus
  narration: string | null
  metadata: string | null
  /** Set for dynamic accounts alone. */
  order: { amount: Kobo; policy: AmountPolicy; expiresAt: Date } | null
  /** Set for static accounts alone. */
  customer: { id: Uuid; reference: string } | null
  /** From when on its number is its own: a rail may have given it before. */
  openedAt: Date
  createdAt: Date
  updatedAt: Date
}

export const returnReasons = ['UNDERPAID', 'OVERPAID', 'EXPIRED', 'ALREADY_PAID', 'ACCOUNT_CLOSED'] as const
export type ReturnReason = (typeof returnReasons)[number]

export type Verdict =
  | { kind: 'accepted'; /** It was the one payment that the account waited for. */ completes: boolean }
  | { kind: 'returned'; reason: ReturnReason }

/**
 * Whether a payment is what the account was opened for. Time is judged by when it was paid, not by when it was heard
 * of: a notice that comes late does not make the payment late, so an account that expired meanwhile still completes.
 */
export function judge({ status, order, updatedAt }: VirtualAccount, amount: Kobo, paidAt: Date): Verdict {
  if (order === null) {
    const closedBefore = status === 'CLOSED' && paidAt >= updatedAt
    return closedBefore ? { kind: 'returned', reason: 'ACCOUNT_CLOSED' } : { kind: 'accepted', completes: false }
  }
  if (status === 'COMPLETED') return { kind: 'returned', reason: 'ALREADY_PAID' }
  if (paidAt >= order.expiresAt) return { kind: 'returned', reason: 'EXPIRED' }
  if (order.policy === 'exact' && amount < order.amount) return { kind: 'returned', reason: 'UNDERPAID' }
  if (order.policy === 'exact' && amount > order.amount) return { kind: 'returned', reason: 'OVERPAID' }
  return { kind: 'accepted', completes: true }
}
