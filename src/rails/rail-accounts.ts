// The port through which accounts to pay into are opened and closed. What every rail promises of it stands in rail.ts.

import type { Currency, Kobo } from '#base/money.ts'
import type { RailBank } from './rail.ts'

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
export type UnsupportedAccount = 'any-amount' | 'small-amount' | 'second-account' | 'lifetime'
export type CustomerField = 'email' | 'phoneNumber' | 'bvn'

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
