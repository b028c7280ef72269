// The SQL behind lists. A tenant's deposits are numbered densely and their times follow the numbers (receive.ts), so a
// page, a total and a range of time are ranges of numbers: they cost the same at any depth.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { Range, Slice } from '#base/ordinal.ts'
import { numberedList } from '#base/numbered-list.ts'
import type { Deposit, DepositStatus } from './deposit.ts'
import { depositColumnsOf } from './sql.ts'

export const depositList = numberedList<Deposit>({
  name: 'deposits',
  table: 'deposit',
  columns: depositColumnsOf('r'),
})

const depositColumns = depositColumnsOf('d')

// One status within a range. PENDING and FAILED are in a partial index of their own. SUCCESSFUL is most of the table:
// going down the numbers finds a page of it at once, and a deep page costs its depth.
const pageOfStatus = statement(
  'deposits.page_of_status',
  `select ${depositColumns} from deposit d
    where d.lane = $1 and d.tenant_id = $2 and d.status = $3 and d.ordinal > 0 and d.ordinal > $4 and d.ordinal <= $5
    order by d.ordinal desc offset $6 limit $7`,
)

export function readPageOfStatus(
  db: Queryable,
  tenant: Tenant,
  status: DepositStatus,
  { low, high }: Range,
  { offset, limit }: Slice,
): Promise<Deposit[]> {
  return db.query<Deposit>(pageOfStatus, [tenant.lane, tenant.id, status, low, high, offset, limit])
}

const countUnsettled = statement(
  'deposits.count_unsettled',
  `select status, count(*) as count from deposit
    where lane = $1 and tenant_id = $2 and ordinal > $3 and ordinal <= $4 and status in ('PENDING', 'FAILED')
    group by status`,
)

/** How many of each status lie in a range; SUCCESSFUL is what the others leave. */
export async function countByStatus(
  db: Queryable,
  tenant: Tenant,
  { low, high }: Range,
): Promise<Record<DepositStatus, bigint>> {
  const rows = await db.query<{ status: DepositStatus; count: bigint }>(countUnsettled, [
    tenant.lane,
    tenant.id,
    low,
    high,
  ])
  const counts = { PENDING: 0n, FAILED: 0n, SUCCESSFUL: high - low }
  for (const { status, count } of rows) {
    counts[status] = count
    counts.SUCCESSFUL -= count
  }
  return counts
}

/** Whose deposits: of one account, of one customer, or both. */
export type Payee = { accountNumber?: string | undefined; customerReference?: string | undefined }

// Both go through an index of their own and cost what the account or customer has received. The range is compared
// together with the index's first column: alone it would repeat the condition of the index of all ordinals, which a
// planner without statistics would walk from its end.
const between = (column: string): string =>
  `d.lane = $1 and d.tenant_id = $2 and d.${column} = $3
     and (d.${column}, d.ordinal) > ($3, $4) and (d.${column}, d.ordinal) <= ($3, $5)
     and ($6::text is null or d.status = $6) and ($7::text is null or d.customer_reference = $7)`

const inOrder = (column: string): string => `order by d.${column} desc, d.ordinal desc`

// Counted in the order of that index, which no other index has: without statistics all indexes that begin with lane and
// tenant look alike, and any of them was taken (40 000 pages for two deposits).
const countOf = (column: string): string =>
  `select count(*) as total from (select 1 from deposit d where ${between(column)} ${inOrder(column)}) as d`
const pageOfPayee = (column: string): string =>
  `select ${depositColumns} from deposit d where ${between(column)} ${inOrder(column)} offset $8 limit $9`

const ofAccount = {
  count: statement('deposits.count_of_account', countOf('account_number')),
  page: statement('deposits.page_of_account', pageOfPayee('account_number')),
}
const ofCustomer = {
  count: statement('deposits.count_of_customer', countOf('customer_reference')),
  page: statement('deposits.page_of_customer', pageOfPayee('customer_reference')),
}

function valuesOf(
  tenant: Tenant,
  { accountNumber, customerReference }: Payee,
  status: DepositStatus | undefined,
  { low, high }: Range,
): unknown[] {
  const other = accountNumber === undefined ? null : (customerReference ?? null)
  return [tenant.lane, tenant.id, accountNumber ?? customerReference, low, high, status ?? null, other]
}

export async function countOfPayee(
  db: Queryable,
  tenant: Tenant,
  payee: Payee,
  status: DepositStatus | undefined,
  range: Range,
): Promise<number> {
  const { count } = payee.accountNumber === undefined ? ofCustomer : ofAccount
  const [row] = await db.query<{ total: bigint }>(count, valuesOf(tenant, payee, status, range))
  return Number(row?.total ?? 0n)
}

export function readPageOfPayee(
  db: Queryable,
  tenant: Tenant,
  payee: Payee,
  status: DepositStatus | undefined,
  range: Range,
  { offset, limit }: Slice,
): Promise<Deposit[]> {
  const { page } = payee.accountNumber === undefined ? ofCustomer : ofAccount
  return db.query<Deposit>(page, [...valuesOf(tenant, payee, status, range), offset, limit])
}
