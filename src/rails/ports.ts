// The ports for virtual accounts and refunds. rail.ts lists the guarantees of every rail.

import type { Currency, Money } from '#platform/money.ts'
import type { RailBank, NotFound, PendingStatus, Unknown } from './rail.ts'

type AccountOrder = {
  railReference: string
  /** Null leaves the choice to the rail. */
  bank: RailBank | null
  /** The name that a payer should see. Providers may prefix it with their own; the name in their answer counts. */
  accountName: string
  /**
   * 0 at first, and one more each time that the number already belongs to another account: each attempt must give
   * another number.
   */
  attempt: number
}

export type StaticAccountOrder = AccountOrder & {
  customer: {
    firstName: string
    lastName: string
    email: string | null
    phoneNumber: string | null
    bvn: string | null
  }
}

/** `policy`: whether the account accepts a payment of another amount. */
export type DynamicAccountOrder = AccountOrder & {
  amount: Money
  currency: Currency
  policy: 'exact' | 'any'
  expiresAtMs: number
}

/**
 * `handle`: with it, `close` closes only what this order opened. Null if `close` goes by the number, or if the rail
 * cannot close the account. `expiresAtMs`: the latest time at which the rail closes the account by itself, which may be
 * its only end. All kinds but `created` and `unavailable` mean that the order has no account and never will.
 */
export type NewAccount =
  | {
      kind: 'created'
      accountNumber: string
      accountName: string
      bankName: string
      bankSlug: string
      handle: string | null
      expiresAtMs?: number
    }
  | { kind: 'unsupported-bank' }
  | { kind: 'unsupported'; what: UnsupportedAccount }
  | { kind: 'incomplete-customer'; missing: CustomerField[] }
  | { kind: 'unavailable'; detail: string }

/**
 * `second-account`: the rail opens one account per person, and the person already has one. `lifetime`: the order has
 * expired.
 */
type UnsupportedAccount = 'any-amount' | 'small-amount' | 'second-account' | 'lifetime'
type CustomerField = 'email' | 'phoneNumber' | 'bvn'

export type VirtualAccounts = {
  defaultBankSlug: string
  /**
   * The banks at which the provider may open accounts for us, by its own names. Absent if the provider does not list
   * them.
   */
  offered?(): Promise<{ kind: 'offered'; banks: string[] } | { kind: 'unavailable'; detail: string }>
  createStatic(order: StaticAccountOrder): Promise<NewAccount>
  createDynamic(order: DynamicAccountOrder): Promise<NewAccount>
  /** Closing an account twice is harmless. */
  close(account: {
    railReference: string
    accountNumber: string
    handle: string | null
  }): Promise<{ kind: 'closed' } | { kind: 'unavailable'; detail: string }>
}

export type RefundOrder = {
  /** Our reference, for providers that identify refunds by one. */
  railReference: string
  /** The provider's own id of the money that came in, as in its notice. */
  providerId: string
  amount: Money
  currency: Currency
  /** The reason in a few plain words, for the provider's records. */
  reason: string
  /** Time of the last request, stored before the request. */
  submittedAtMs: number
}

export type RefundState =
  | (PendingStatus & { attention?: string })
  | { kind: 'refunded' }
  /** The provider refused the refund for good. */
  | { kind: 'failed'; detail: string }
  | Unknown

/**
 * Sends back money that could not be accepted. `not-found` means that the provider shows no refund of this money. A
 * provider that does not identify refunds by our reference finds them by `providerId`.
 */
export type Refunds = {
  /** Longer than `refund` can take. */
  refundLeaseMs: number
  refund(order: RefundOrder): Promise<RefundState>
  status(order: RefundOrder): Promise<RefundState | NotFound>
}

const leaseSlackMs = 5_000

type RefundsOfProvider<Call> = {
  call: Call
  /** The number of sequential calls, of `readMs` each, for one request. */
  callsMax: number
  readMs: number
  refund(call: Call, order: RefundOrder): Promise<RefundState>
  ask(call: Call, order: RefundOrder): Promise<RefundState | NotFound>
}

export function refundsBy<Call>(provider: RefundsOfProvider<Call>): Refunds {
  const { call, callsMax, readMs } = provider
  return {
    refundLeaseMs: callsMax * readMs + leaseSlackMs,
    refund: (order) => provider.refund(call, order),
    status: (order) => provider.ask(call, order),
  }
}

export type RefundOutcome = 'refunded' | 'pending' | 'failed'

/** `outcome`: undefined for an unknown status, which proves nothing. */
export function refundStateOf(provider: string, outcome: RefundOutcome | undefined): RefundState {
  if (outcome === undefined) return { kind: 'unknown', detail: 'refund: an unknown status' }
  return outcome === 'failed' ? { kind: outcome, detail: `refund: ${provider} says that it failed` } : { kind: outcome }
}
