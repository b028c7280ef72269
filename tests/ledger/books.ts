// The books of a tenant as rows, for tests that compare them.

import type { Tenant } from '#platform/context.ts'
import { type Queryable, statement } from '#platform/db/db.ts'
import type { Currency } from '#platform/money.ts'

export type Account = { debits: bigint; credits: bigint; movements: bigint }
export type Entry = { entry: bigint; change: bigint; balance_after: bigint; kind: string }

const accounts = statement(
  'test.accounts',
  `select name, debits, credits, movements from ledger_account where lane = $1 and tenant_id = $2 and currency = $3`,
)
const entries = statement(
  'test.entries',
  `select entry, case when credit = 'available' then amount else -amount end as change, balance_after, kind
     from ledger_movement where lane = $1 and tenant_id = $2 and entry is not null and currency = $3 order by entry`,
)

export async function accountsOf(
  db: Queryable,
  tenant: Tenant,
  currency: Currency = 'NGN',
): Promise<Record<string, Account>> {
  const rows = await db.query<Account & { name: string }>(accounts, [tenant.lane, tenant.id, currency])
  return Object.fromEntries(rows.map(({ name, ...totals }) => [name, totals]))
}

export async function balancesOf(db: Queryable, tenant: Tenant): Promise<Record<string, bigint>> {
  const all = Object.entries(await accountsOf(db, tenant))
  return Object.fromEntries(all.map(([name, { credits, debits }]) => [name, credits - debits]))
}

export function entriesOf(db: Queryable, tenant: Tenant, currency: Currency = 'NGN'): Promise<Entry[]> {
  return db.query<Entry>(entries, [tenant.lane, tenant.id, currency])
}
