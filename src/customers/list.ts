// A page of virtual accounts; all accounts, and all customers, for who exports them.

import type { Context, Tenant } from '#base/context.ts'
import { minuteMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import { findDated, walkDown } from '#base/numbered-list.ts'
import { sliceOf, type PageQuestion } from '#base/ordinal.ts'
import type { VirtualAccount } from './account.ts'
import type { Customer } from './customer.ts'
import { customerList } from './sql.ts'
import { accountOf } from './sql-accounts.ts'
import { accountList, countFiltered, readFiltered, type AccountFilter } from './sql-lists.ts'

/** An account is younger than its id by as long as its rail took to open it. */
const openingMsMax = 30 * minuteMs

export async function findAccountById(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  id: Uuid,
): Promise<VirtualAccount | undefined> {
  const row = await findDated(accountList, { db, tenant, youngerMs: openingMsMax }, id)
  return row === undefined ? undefined : accountOf(row)
}

export function findCustomerById({ db }: Pick<Context, 'db'>, tenant: Tenant, id: Uuid): Promise<Customer | undefined> {
  return findDated(customerList, { db, tenant }, id)
}

/** All of them, the latest first, some at a time. */
export async function* walkAccounts({ db }: Pick<Context, 'db'>, tenant: Tenant): AsyncGenerator<VirtualAccount[]> {
  for await (const rows of walkDown(accountList, db, tenant, {})) yield rows.map(accountOf)
}

export function walkCustomers({ db }: Pick<Context, 'db'>, tenant: Tenant): AsyncGenerator<Customer[]> {
  return walkDown(customerList, db, tenant, {})
}

export type AccountsQuestion = AccountFilter & PageQuestion

export type AccountPage = { accounts: VirtualAccount[]; total: number }

export async function listAccounts(
  { db }: Context,
  tenant: Tenant,
  { page, limit, ...filter }: AccountsQuestion,
): Promise<AccountPage> {
  const question = { page, limit }
  if (Object.values(filter).every((wanted) => wanted === undefined)) {
    const { rows, total } = await accountList.page(db, tenant, question)
    return { accounts: rows.map(accountOf), total }
  }
  const slice = sliceOf(question)
  const total = await countFiltered(db, tenant, filter)
  return { accounts: slice.offset < total ? await readFiltered(db, tenant, filter, slice) : [], total }
}
