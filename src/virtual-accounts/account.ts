// A virtual account: a number to pay into. Its kinds, its states and the verdict over a payment; pure. The drawing of
// the states is docs/states.md.

import type { OfTenant } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Kobo } from '#platform/money.ts'
import type { NewAccount } from '#rails/ports.ts'

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

const returnReasons = ['UNDERPAID', 'OVERPAID', 'EXPIRED', 'ALREADY_PAID', 'ACCOUNT_CLOSED'] as const
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

// An opening: an account that a business asked for, written before its rail is asked for a number. Whatever dies after
// that, the row knows that there may be a number: who asks for the same again goes on with it, and what nobody goes on
// with is given back. Pure; the drawing of its states is docs/states.md.

export type Opening = Pick<
  VirtualAccount,
  | 'lane'
  | 'tenantId'
  | 'id'
  | 'type'
  | 'reference'
  | 'accountName'
  | 'narration'
  | 'metadata'
  | 'order'
  | 'customer'
  | 'rail'
  | 'createdAt'
> & {
  /** Null: the rail's choice, as it is for every dynamic account. */
  bankSlug: string | null
  /** From then on it never becomes an account. */
  givenUpAt: Date | null
  dueAt: Date
}

/** What a business asks for, before it is written. */
export type Wanted = Omit<Opening, 'lane' | 'tenantId' | 'givenUpAt' | 'dueAt'>

export type OpeningOutcome =
  | { kind: 'opened'; account: VirtualAccount }
  | { kind: 'exists' }
  | { kind: 'unknown-customer' }
  | { kind: 'erased-customer' }
  | { kind: 'unknown-bank' }
  | Declined

/** Why its rail does not open it. */
export type Declined = Exclude<NewAccount, { kind: 'created' | 'unavailable' }>

/**
 * So long after somebody was last at it, an opening is given up. Longer than any call of a rail can take, so that nobody
 * still waits for its number then, and long enough for a client that tries again after a restart of ours.
 */
const resumableMs = 10 * minuteMs

/** How long whoever goes on with it at this moment has it. */
export function resumableUntil(nowMs: number): Date {
  return new Date(nowMs + resumableMs)
}

/** An account for one payment that is born expired helps nobody. */
export function isResumable({ givenUpAt, order }: Opening, nowMs: number): boolean {
  return givenUpAt === null && (order === null || order.expiresAt.getTime() > nowMs)
}

/** The claim is the same already: it is how the one was found for the other. */
export function haveSameTerms(opening: Opening, wanted: Wanted): boolean {
  return (
    opening.accountName === wanted.accountName &&
    opening.narration === wanted.narration &&
    opening.metadata === wanted.metadata &&
    opening.order?.amount === wanted.order?.amount &&
    opening.order?.policy === wanted.order?.policy &&
    lifetimeMsOf(opening) === lifetimeMsOf(wanted)
  )
}

function lifetimeMsOf({ order, createdAt }: Wanted): number | undefined {
  return order === null ? undefined : order.expiresAt.getTime() - createdAt.getTime()
}

/** It never becomes an account, and giving it back is due at once. */
export function givenUp(opening: Opening, nowMs: number): Opening {
  const now = new Date(nowMs)
  return { ...opening, givenUpAt: opening.givenUpAt ?? now, dueAt: now }
}
