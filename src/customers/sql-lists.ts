// The SQL behind the list of virtual accounts. Without filters a page and the total are ranges of numbers.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { Slice } from '#base/ordinal.ts'
import { numberedList } from '#base/numbered-list.ts'
import type { AccountStatus, AccountType, VirtualAccount } from './account.ts'
import { accountColumnsOf, accountOf, type AccountRow } from './sql-accounts.ts'

export const accountList = numberedList<AccountRow>({
  name: 'accounts',
  table: 'virtual_account',
  columns: accountColumnsOf('r'),
})

export type AccountFilter = {
  type?: AccountType | undefined
  status?: AccountStatus | undefined
  customerReference?: string | undefined
}

// A parameter that is null drops its condition when the statement is planned (custom plans only: base/db.ts). Which
// index serves is decided by which filter is there: the customer's, or that of type and status.
const where = `a.lane = $1 and a.tenant_id = $2 and ($3::text is null or a.type = $3) and ($4::text is null or a.status = $4)`

const filtered = (name: string, condition: string, order: string) => ({
  count: statement(
    `accounts.count_${name}`,
    `select count(*) as total from (
       select 1 from virtual_account a where ${where} and ${condition} order by ${order}) as a`,
  ),
  page: statement(
    `accounts.page_${name}`,
    `select ${accountColumnsOf('a')} from virtual_account a where ${where} and ${condition}
      order by ${order} offset $6 limit $7`,
  ),
})

// In the order of the customer's index, which no other has: without statistics, all that begin with lane and tenant look
// alike, and the whole tenant was walked for one customer (16 000 rows).
const ofCustomer = filtered(
  'of_customer',
  'a.customer_reference = $5 and (a.customer_reference, a.ordinal) > ($5, 0)',
  'a.customer_reference desc, a.ordinal desc',
)
const ofAll = filtered('filtered', 'a.ordinal > 0 and $5::text is null', 'a.ordinal desc')

const statementsFor = ({ customerReference }: AccountFilter) => (customerReference === undefined ? ofAll : ofCustomer)

export async function countFiltered(db: Queryable, tenant: Tenant, filter: AccountFilter): Promise<number> {
  const [row] = await db.query<{ total: bigint }>(statementsFor(filter).count, valuesOf(tenant, filter))
  return Number(row?.total ?? 0n)
}

export async function readFiltered(
  db: Queryable,
  tenant: Tenant,
  filter: AccountFilter,
  { offset, limit }: Slice,
): Promise<VirtualAccount[]> {
  const rows = await db.query<AccountRow>(statementsFor(filter).page, [...valuesOf(tenant, filter), offset, limit])
  return rows.map(accountOf)
}

function valuesOf(tenant: Tenant, { type, status, customerReference }: AccountFilter): unknown[] {
  return [tenant.lane, tenant.id, type ?? null, status ?? null, customerReference ?? null]
}
