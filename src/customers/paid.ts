// What whoever records money must know and may do here: the accounts that it was paid to, held until the transaction
// ends, whose customers they are, and that one has had the payment it waited for.

import type { Tx } from '#base/db.ts'
import type { VirtualAccount } from './account.ts'
import type { Customer } from './customer.ts'
import { completeAccounts, lockAccounts, type AccountKey } from './sql-accounts.ts'
import { findCustomersOfAccounts } from './sql.ts'

export type PaidAccount = { account: VirtualAccount; customer: Customer | undefined }

export function accountText({ tenantId, accountNumber }: AccountKey): string {
  return `${tenantId} ${accountNumber}`
}

/** By `accountText`. Asked in sorted order, so that two transactions wait for each other at most in line. */
export async function lockPaidAccounts(tx: Tx, keys: AccountKey[]): Promise<Map<string, PaidAccount>> {
  const unique = [...new Map(keys.map((key) => [accountText(key), key])).entries()]
  const sorted = unique.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, key]) => key)
  const [accounts, customers] = await Promise.all([lockAccounts(tx, sorted), findCustomersOfAccounts(tx, sorted)])
  return new Map(
    accounts.map((account) => {
      const text = accountText(account)
      return [text, { account, customer: customers.get(text) }]
    }),
  )
}

/** The rows must be locked. */
export function completePaidAccounts(tx: Tx, accounts: VirtualAccount[]): void {
  const rows = accounts.map(({ tenantId, accountNumber, updatedAt }) => ({ tenantId, accountNumber, at: updatedAt }))
  completeAccounts(tx, rows)
}
