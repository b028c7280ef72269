// The chart of accounts, per tenant and currency. An account's balance is its credits minus its debits; over all
// accounts of a currency the balances sum to zero.

import type { Kobo } from '#base/money.ts'

/**
 * available  what the business may spend;  reserved  what its unfinished payments hold;
 * rail       the other side of money that came from or went to a bank or operator;
 * fees       what the company earned;      opening   the other side of opening balances;
 * adjustments   the other side of what a person corrected.
 */
export const accountNames = ['available', 'reserved', 'rail', 'fees', 'opening', 'adjustments'] as const
export type AccountName = (typeof accountNames)[number]

export type MovementKind =
  | 'opening'
  | 'funding'
  | 'hold'
  | 'payout'
  | 'payout_fee'
  | 'release'
  | 'reversal'
  | 'fee_refund'
  | 'deposit'
  | 'deposit_fee'
  | 'adjustment'

/** An amount that goes from the account `debit` to the account `credit`. */
export type Posting = { debit: AccountName; credit: AccountName; amount: Kobo; kind: MovementKind }
