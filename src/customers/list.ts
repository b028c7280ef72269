// A page of virtual accounts.

import type { Context, Tenant } from '#base/context.ts'
import { sliceOf, type PageQuestion } from '#base/ordinal.ts'
import type { VirtualAccount } from './account.ts'
import { accountOf } from './sql-accounts.ts'
import { accountList, countFiltered, readFiltered, type AccountFilter } from './sql-lists.ts'

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
