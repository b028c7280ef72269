// The float books: what each provider should hold for the company, beside what the company owes its tenants. Booked by the
// transaction that settles a payment or a deposit, and by reconciliation for what the provider's own ledger shows. What
// caused a movement is booked once, whoever books it (docs/adr/0027-a-float-book-per-rail.md).

import type { Environment } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { zero, type Currency, type Kobo } from '#base/money.ts'
import { insertFloat } from './sql-float.ts'

export { readFloat, totalFloat } from './float-balances.ts'
export { findUnownedSubjects as findUnowned } from './sql-float.ts'

/**
 * balance     what the provider's balance should show;   receivable  paid in, not yet settled to that balance;
 * bank        the company's own bank;                    cost        what the provider took;
 * tenants     the other side of all tenants' `rail`;     suspense    money that is nobody's yet.
 */
export const floatAccounts = ['balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense'] as const
export type FloatAccount = (typeof floatAccounts)[number]

export type FloatKind =
  | 'opening'
  | 'payout'
  | 'payout_cost'
  | 'reversal'
  | 'deposit'
  | 'deposit_cost'
  | 'unowned'
  | 'owned'
  | 'settlement'
  | 'refund'
  | 'top_up'
  | 'withdrawal'

/** `subject`: what caused it, once for each kind. `reference`: under which the provider knows that. `lane` 0: no tenant's. */
export type FloatCause = {
  environment: Environment
  rail: string
  currency: Currency
  subject: string
  reference: string
  lane: number
  at: Date
}

export type FloatMovement = FloatCause & { kind: FloatKind; debit: FloatAccount; credit: FloatAccount; amount: Kobo }

/** The whole accounting of the float books, on one screen: from which account to which. */
const ways: Record<FloatKind, readonly [FloatAccount, FloatAccount]> = {
  opening: ['bank', 'balance'],
  payout: ['balance', 'tenants'],
  payout_cost: ['balance', 'cost'],
  reversal: ['tenants', 'balance'],
  deposit: ['tenants', 'receivable'],
  deposit_cost: ['receivable', 'cost'],
  unowned: ['suspense', 'receivable'],
  owned: ['receivable', 'suspense'],
  settlement: ['receivable', 'balance'],
  refund: ['balance', 'suspense'],
  top_up: ['bank', 'balance'],
  withdrawal: ['balance', 'bank'],
}

const gathered = Symbol('float movements')

/** Nothing moves nothing. They leave as one statement, right before the commit. */
export function bookFloat(tx: Tx, kind: FloatKind, cause: FloatCause, amount: Kobo): void {
  if (amount === zero) return
  const rows = tx.shared(gathered, () => {
    const made: FloatMovement[] = []
    tx.beforeCommit(() => insertFloat(tx, made))
    return made
  })
  const [debit, credit] = ways[kind]
  rows.push({ ...cause, kind, debit, credit, amount })
}
