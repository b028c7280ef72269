// The chart of accounts per tenant and currency, and the postings of every event. The balance of an account is its
// credits minus its debits; over all accounts of a currency the balances sum to zero.

import { add, type Money, negate, zero } from '#platform/money.ts'

/**
 * available  what the business may spend;  reserved  amounts and fees of its unfinished payments;
 * rail       the other side of money that came from or went to a bank or operator;
 * fees       what the company earned;      opening   the other side of opening balances;
 * adjustments   the other side of manual corrections.
 */
export const accountNames = ['available', 'reserved', 'rail', 'fees', 'opening', 'adjustments'] as const
export type AccountName = (typeof accountNames)[number]

type MovementKind =
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

export type Posting = { debit: AccountName; credit: AccountName; amount: Money; kind: MovementKind }

export function openingPostings(amount: Money): Posting[] {
  return movements(['opening', 'available', amount, 'opening'])
}

export function fundingPostings(amount: Money): Posting[] {
  return movements(['rail', 'available', amount, 'funding'])
}

/** Reserves amount and fee in one movement, so that either the whole payment is covered or none of it. */
export function acceptedPostings(amount: Money, fee: Money): Posting[] {
  return movements(['available', 'reserved', add(amount, fee), 'hold'])
}

export function succeededPostings(amount: Money, fee: Money): Posting[] {
  return movements(['reserved', 'rail', amount, 'payout'], ['reserved', 'fees', fee, 'payout_fee'])
}

/** A failed payment costs nothing: the fee is returned too. */
export function failedPostings(amount: Money, fee: Money): Posting[] {
  return movements(['reserved', 'available', add(amount, fee), 'release'])
}

export function reversedPostings(amount: Money, fee: Money): Posting[] {
  return movements(['rail', 'available', amount, 'reversal'], ['fees', 'available', fee, 'fee_refund'])
}

export function receivedPostings(amount: Money, fee: Money): Posting[] {
  return movements(['rail', 'available', amount, 'deposit'], ['available', 'fees', fee, 'deposit_fee'])
}

/** A manual correction: a positive amount is credited to the available balance, a negative one is debited from it. */
export function adjustedPostings(amount: Money): Posting[] {
  return amount > zero
    ? movements(['adjustments', 'available', amount, 'adjustment'])
    : movements(['available', 'adjustments', negate(amount), 'adjustment'])
}

function movements(...rows: [AccountName, AccountName, Money, MovementKind][]): Posting[] {
  return rows
    .filter(([, , amount]) => amount !== zero)
    .map(([debit, credit, amount, kind]) => ({ debit, credit, amount, kind }))
}

// SQL that selects the movements of payments or deposits, and the text by which a verification compares them with their
// payments or deposits.

export type CauseList = 'payments' | 'deposits'

/**
 * `text` is the compared text of a movement in the table, `sealedText` that of a movement in a sealed month. The digest
 * of `sealedText` was stored when the month was sealed, so `sealedText` must never change.
 */
type ComparedMovements = { where: string; text: string; sealedText: string }

const textOfPayments = `concat_ws(' ', source_id, kind, debit, credit, amount, currency, reference)`

export const causes: Record<CauseList, ComparedMovements> = {
  payments: {
    where: `kind in ('hold', 'payout', 'payout_fee', 'release', 'reversal', 'fee_refund')`,
    text: textOfPayments,
    sealedText: textOfPayments,
  },
  deposits: {
    where: `kind in ('deposit', 'deposit_fee')`,
    text: `concat_ws(' ', source_id, kind, debit, credit, amount, currency)`,
    sealedText: `concat_ws(' ', source_id, kind, debit, credit, amount)`,
  },
}
