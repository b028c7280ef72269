// What whoever records money must know and may do here: the accounts that it was paid to, held until the transaction
// ends, whose customers they are, and that one has had the payment it waited for.

import type { Tx } from '#platform/db/db.ts'
import type { VirtualAccount } from './account.ts'
import type { Customer } from './customer.ts'
import { completeAccounts, lockAccounts, type PaidKey } from './account-queries.ts'
import { findCustomersOfAccounts } from './queries.ts'

export type { PaidKey } from './account-queries.ts'

export type PaidAccount = { account: VirtualAccount; customer: Customer | undefined }

export type PaidAccounts = {
  /** The one that had the number when it was paid. */
  find(key: PaidKey): PaidAccount | undefined
  /** Notes what a decision has made of it. */
  replace(account: VirtualAccount): void
}

/** Asked in sorted order, so that two transactions wait for each other at most in line. */
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

/** As they are by now. The rows must be locked. */
export function completePaidAccounts(tx: Tx, accounts: VirtualAccount[]): void {
  completeAccounts(tx, accounts)
}
