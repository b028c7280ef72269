// The SQL behind the list of virtual accounts. Without filters a page and the total are ranges of numbers.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { AccountStatus, AccountType, VirtualAccount } from './account.ts'
import { accountColumns, accountOf, type AccountRow } from './sql-accounts.ts'

export type AccountFilter = {
  type?: AccountType | undefined
  status?: AccountStatus | undefined
  customerReference?: string | undefined
}

const lastOrdinalOf = statement(
  'accounts.last_ordinal',
  'select ordinal from virtual_account where lane = $1 and tenant_id = $2 and ordinal > 0 order by ordinal desc limit 1',
)

export async function countAll(db: Queryable, tenant: Tenant): Promise<bigint> {
  const [row] = await db.query<{ ordinal: bigint }>(lastOrdinalOf, [tenant.lane, tenant.id])
  return row?.ordinal ?? 0n
}

const pageOfAll = statement(
  'accounts.page',
  `select ${accountColumns} from virtual_account a
    where a.lane = $1 and a.tenant_id = $2 and a.ordinal > 0 and a.ordinal > $3 and a.ordinal <= $4
    order by a.ordinal desc`,
)

export async function readRange(db: Queryable, tenant: Tenant, low: bigint, high: bigint): Promise<VirtualAccount[]> {
  return (await db.query<AccountRow>(pageOfAll, [tenant.lane, tenant.id, low, high])).map(accountOf)
}

// A parameter that is null drops its condition when the statement is planned (custom plans only: base/db.ts). Which
// index serves is decided by which filter is there: the customer's, or that of type and status.
const where = `a.lane = $1 and a.tenant_id = $2 and ($3::text is null or a.type = $3) and ($4::text is null or a.status = $4)`
const ofCustomer = `${where} and a.customer_reference = $5`
const ofAnybody = `${where} and a.ordinal > 0 and $5::text is null`

const countOfCustomer = statement(
  'accounts.count_of_customer',
  `select count(*) as total from virtual_account a where ${ofCustomer}`,
)
const countOfAnybody = statement(
  'accounts.count_filtered',
  `select count(*) as total from virtual_account a where ${ofAnybody}`,
)
const page = 'order by a.ordinal desc offset $6 limit $7'
const pageOfCustomer = statement(
  'accounts.page_of_customer',
  `select ${accountColumns} from virtual_account a where ${ofCustomer} ${page}`,
)
const pageOfAnybody = statement(
  'accounts.page_filtered',
  `select ${accountColumns} from virtual_account a where ${ofAnybody} ${page}`,
)

export async function countFiltered(db: Queryable, tenant: Tenant, filter: AccountFilter): Promise<number> {
  const what = filter.customerReference === undefined ? countOfAnybody : countOfCustomer
  const [row] = await db.query<{ total: bigint }>(what, valuesOf(tenant, filter))
  return Number(row?.total ?? 0n)
}

export async function readFiltered(
  db: Queryable,
  tenant: Tenant,
  filter: AccountFilter,
  place: { offset: number; limit: number },
): Promise<VirtualAccount[]> {
  const what = filter.customerReference === undefined ? pageOfAnybody : pageOfCustomer
  const rows = await db.query<AccountRow>(what, [...valuesOf(tenant, filter), place.offset, place.limit])
  return rows.map(accountOf)
}

function valuesOf(tenant: Tenant, { type, status, customerReference }: AccountFilter): unknown[] {
  return [tenant.lane, tenant.id, type ?? null, status ?? null, customerReference ?? null]
}
