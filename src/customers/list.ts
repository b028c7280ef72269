// A page of virtual accounts.

import type { Context, Tenant } from '#base/context.ts'
import type { VirtualAccount } from './account.ts'
import { countAll, countFiltered, readFiltered, readRange, type AccountFilter } from './sql-lists.ts'

export type AccountsQuestion = AccountFilter & { page: number; limit: number }

export type AccountPage = { accounts: VirtualAccount[]; total: number }

export async function listAccounts(ctx: Context, tenant: Tenant, question: AccountsQuestion): Promise<AccountPage> {
  const { page, limit, type, status, customerReference } = question
  const offset = (page - 1) * limit
  if (type === undefined && status === undefined && customerReference === undefined) {
    const last = await countAll(ctx.db, tenant)
    const high = last - BigInt(offset)
    const accounts = high > 0n ? await readRange(ctx.db, tenant, high - BigInt(limit), high) : []
    return { accounts, total: Number(last) }
  }
  const filter = { type, status, customerReference }
  const total = await countFiltered(ctx.db, tenant, filter)
  const accounts = offset < total ? await readFiltered(ctx.db, tenant, filter, { offset, limit }) : []
  return { accounts, total }
}
