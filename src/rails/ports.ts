// The port through which accounts to pay into are opened and closed. What every rail promises of it stands in rail.ts.

import type { Currency, Kobo } from '#platform/money.ts'
import type { RailBank, NotFound, Pending, Unknown } from './rail.ts'

type AccountOrder = {
  railReference: string
  /** Null: the rail's own choice. */
  bank: RailBank | null
  /** The name that a payer should see. Providers may put their own before it; what they answer counts. */
  accountName: string
  /** 0 at first. One more each time that the number is another account's already: it must lead to another number. */
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

/** `policy`: whether a payment of another amount is welcome. */
export type DynamicAccountOrder = AccountOrder & {
  amount: Kobo
  currency: Currency
  policy: 'exact' | 'any'
  expiresAtMs: number
}

/**
 * `handle`: by what the rail closes it, where the number is not enough; closing by it closes what this order opened and
 * nothing else. `expiresAtMs`: the rail closes it by itself, then at the latest; of what has no handle, a rail may know no
 * other end. All but `created` and `unavailable` say that
 * nothing was opened, and never will be for this order.
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
  /** What the rail must know of the customer. */
  | { kind: 'incomplete-customer'; missing: CustomerField[] }
  | { kind: 'unavailable'; detail: string }

/** `second-account`: the rail opens one for a person, and somebody has opened it. */
type UnsupportedAccount = 'any-amount' | 'small-amount' | 'second-account' | 'lifetime'
type CustomerField = 'email' | 'phoneNumber' | 'bvn'

export type VirtualAccounts = {
  /** The bank of an account whose business chose none. */
  defaultBankSlug: string
  /** The banks at which it may hold accounts for us, as the provider calls them. Left out: it does not tell. */
  offered?(): Promise<{ kind: 'offered'; banks: string[] } | { kind: 'unavailable'; detail: string }>
  createStatic(order: StaticAccountOrder): Promise<NewAccount>
  createDynamic(order: DynamicAccountOrder): Promise<NewAccount>
  /** Closing twice is closing once. */
  close(account: {
    railReference: string
    accountNumber: string
    handle: string | null
  }): Promise<{ kind: 'closed' } | { kind: 'unavailable'; detail: string }>
}

// The port through which money that could not be accepted goes back to who paid it. What every rail promises of it stands in
// rail.ts. A provider may know a refund by no reference of ours, so `not-found` must be about the right money.

export type RefundOrder = {
  /** Ours, for providers that know refunds by one. */
  railReference: string
  /** The provider's own id of the money that came in: the one of its notice. */
  providerId: string
  /** All of it. */
  amount: Kobo
  currency: Currency
  /** Why, in a few plain words for the provider's records. */
  reason: string
  /** When it was asked for last, as it was stored before that. */
  submittedAtMs: number
}

export type RefundState =
  /** `attention`: what a person must do before the provider goes on. */
  | (Pending & { attention?: string })
  | { kind: 'refunded' }
  /** The provider has refused it for good: a person must look. */
  | { kind: 'failed'; detail: string }
  | Unknown

export type Refunds = {
  /** Longer than `refund` can take. */
  refundLeaseMs: number
  refund(order: RefundOrder): Promise<RefundState>
  status(order: RefundOrder): Promise<RefundState | NotFound>
}

const leaseSlackMs = 5_000

/** What a provider's adapter knows of refunds, and by which calls. */
type RefundsOfProvider<Call> = {
  call: Call
  /** One after the other, of `readMs` each, while a refund is asked for. */
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

export type RefundWord = 'refunded' | 'pending' | 'failed'

/** A word that is new is undefined, and nothing follows of it. */
export function refundStateOf(provider: string, word: RefundWord | undefined): RefundState {
  if (word === undefined) return { kind: 'unknown', detail: 'refund: a status word that is not known' }
  return word === 'failed' ? { kind: word, detail: `refund: ${provider} says that it failed` } : { kind: word }
}
