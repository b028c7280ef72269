// Accounts for the code that records deposits: locks the paid accounts until the transaction ends, finds their
// customers, and completes accounts that expected one payment.

import type { Tx } from '#platform/db/db.ts'
import type { VirtualAccount } from './account.ts'
import type { Customer } from './customers.ts'
import { completeAccounts, lockAccounts, type PaidKey } from './account-queries.ts'
import { findCustomersOfAccounts } from './queries.ts'

export type { PaidKey } from './account-queries.ts'

export type PaidAccount = { account: VirtualAccount; customer: Customer | undefined }

export type PaidAccounts = {
  /** The account that had the number at the time of the payment. */
  find(key: PaidKey): PaidAccount | undefined
  /** Stores the account as a decision has changed it. */
  replace(account: VirtualAccount): void
}

/** Locks in sorted order, so that two transactions queue for each other and cannot deadlock. */
export async function lockPaidAccounts(tx: Tx, keys: PaidKey[]): Promise<PaidAccounts> {
  const unique = [...new Map(keys.map((key) => [keyText(key), key])).entries()]
  const sorted = unique.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, key]) => key)
  const [accounts, customers] = await Promise.all([lockAccounts(tx, sorted), findCustomersOfAccounts(tx, sorted)])
  const byNumber = Map.groupBy(
    accounts.map((account): PaidAccount => ({ account, customer: customers.get(account.id) })),
    ({ account }) => numberText(account),
  )
  return {
    find: (key) =>
      byNumber
        .get(numberText(key))
        ?.filter(({ account }) => account.openedAt <= key.paidAt)
        .toSorted((left, right) => right.account.openedAt.getTime() - left.account.openedAt.getTime())[0],
    replace(account) {
      const paid = byNumber.get(numberText(account))?.find((one) => one.account.id === account.id)
      if (paid !== undefined) paid.account = account
    },
  }
}

function numberText({ tenantId, accountNumber }: Omit<PaidKey, 'paidAt'>): string {
  return `${tenantId} ${accountNumber}`
}

function keyText(key: PaidKey): string {
  return `${numberText(key)} ${key.paidAt.getTime()}`
}

/** Writes the accounts' values of `updatedAt`. The caller must have locked the rows. */
export function completePaidAccounts(tx: Tx, accounts: VirtualAccount[]): void {
  completeAccounts(tx, accounts)
}
