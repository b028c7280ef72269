// Lists virtual accounts, finds accounts and customers for the search, and exports both. If no filter is set, a page is
// a range of ordinals, and the total is the last ordinal.

import type { Tenant, Context } from '#platform/context.ts'
import { arraysOf, inLane, statement, type Queryable, type Statement } from '#platform/db/db.ts'
import { endOfPrefix, foldedName, foldName } from '#platform/db/folded-names.ts'
import { numberedList, findDated, walkDown, sliceOf, type PageQuestion } from '#platform/db/numbered-list.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import {
  accountColumnsOf,
  accountOf,
  type VirtualAccountRow,
  customerColumnsOf,
  customerList,
  findCustomers,
} from './queries.ts'
import { accountStatuses, accountTypes, type AccountStatus, type AccountType, type VirtualAccount } from './account.ts'
import type { Customer } from './customers.ts'

export const accountList = numberedList<VirtualAccountRow>({
  name: 'accounts',
  table: 'virtual_account',
  columns: accountColumnsOf('r'),
})

type AccountFilter = {
  type?: AccountType | undefined
  status?: AccountStatus | undefined
  customerReference?: string | undefined
}

// Ordered by `customer_reference`, although all rows have the same one, because only the customer's index has this
// order. Otherwise, without statistics, all indexes that begin with lane and tenant look alike to the planner, and it
// scanned the whole tenant for one customer (16 000 rows). A null parameter drops its condition during planning (custom
// plans only: platform/db/db.ts).
const ofCustomer = `virtual_account a
    where a.lane = $1 and a.tenant_id = $2 and a.customer_reference = $3 and (a.customer_reference, a.ordinal) > ($3, 0)
      and ($4::text is null or a.type = $4) and ($5::text is null or a.status = $5)
    order by a.customer_reference desc, a.ordinal desc`

const countOfCustomer = statement(
  'accounts.count_of_customer',
  `select count(*) as total from (select 1 from ${ofCustomer}) as a`,
)

const pageOfCustomer = statement(
  'accounts.page_of_customer',
  `select ${accountColumnsOf('a')} from ${ofCustomer} offset $6 limit $7`,
)

// A filter by type, status or both becomes the pairs of type and status that it allows, because the index
// virtual_account_listed begins with both. So only matching rows are counted: in 1 ms if none of 300 000 accounts
// matches, in 100 ms if all do. Each pair is a range of that index: with equality conditions, a planner without
// statistics reads the index of all ordinals.
const ofPair = `virtual_account a
    where a.lane = $1 and a.tenant_id = $2 and a.ordinal > 0 and (a.type, a.status, a.ordinal) > (k.type, k.status, 0)
      and (a.type, a.status, a.ordinal) <= (k.type, k.status, ${2n ** 63n - 1n})
    order by a.type desc, a.status desc, a.ordinal desc`

const countOfPairs = statement(
  'accounts.count_filtered',
  `select count(*) as total
     from unnest($3::text[], $4::text[]) as k (type, status) cross join lateral (select 1 from ${ofPair} offset 0) as a`,
)

const pageOfPairs = statement(
  'accounts.page_filtered',
  `with page as materialized (
     select a.ordinal
       from unnest($3::text[], $4::text[]) as k (type, status)
      cross join lateral (select a.ordinal from ${ofPair} limit $5::bigint + $6::bigint) as a
      order by a.ordinal desc offset $5 limit $6)
   select ${accountColumnsOf('a')}
     from page cross join lateral (
       select * from virtual_account r
        where r.lane = $1 and r.tenant_id = $2 and r.ordinal > 0 and r.ordinal <= page.ordinal
        order by r.ordinal desc limit 1) as a
    order by page.ordinal desc`,
)

type FilteredList = { count: Statement; page: Statement; values: unknown[] }

function filteredBy(tenant: Tenant, { type, status, customerReference }: AccountFilter): FilteredList {
  const key = [tenant.lane, tenant.id]
  if (customerReference !== undefined) {
    const values = [...key, customerReference, type ?? null, status ?? null]
    return { count: countOfCustomer, page: pageOfCustomer, values }
  }
  const types = type === undefined ? accountTypes : [type]
  const statuses = status === undefined ? accountStatuses : [status]
  const pairs = types.flatMap((one) => statuses.map((other) => ({ type: one, status: other })))
  return { count: countOfPairs, page: pageOfPairs, values: [...key, ...arraysOf(pairs, 'type', 'status')] }
}

/**
 * An account's id contains the time of the first request, and `created_at` is the time at which the rail had opened it.
 * If the opening took longer than this, because a client kept repeating the request, the account is not found by its
 * id.
 */
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

const firstThenLast = foldedName(`first_name || ' ' || last_name`)
const lastThenFirst = foldedName(`last_name || ' ' || first_name`)

/** The most names that are read for one word, per order of first and last name. It bounds the cost in a large table. */
const namesMax = 500

const byName = statement(
  'customers.by_name',
  `with named as materialized (
     select distinct c.ordinal
       from unnest($3::text[], $4::text[]) as r (low, high)
      cross join lateral (
        (select ordinal, ${firstThenLast} as name from customer
          where lane = $1 and tenant_id = $2 and first_name <> '' and ${firstThenLast} >= r.low and ${firstThenLast} < r.high
          order by ${firstThenLast}, ordinal limit ${namesMax})
        union all
        (select ordinal, ${lastThenFirst} as name from customer
          where lane = $1 and tenant_id = $2 and first_name <> '' and ${lastThenFirst} >= r.low and ${lastThenFirst} < r.high
          order by ${lastThenFirst}, ordinal limit ${namesMax})) as c
      where (select bool_and(position(word in ' ' || c.name) > 0) from unnest($5::text[]) as w (word))
      order by c.ordinal desc limit $6)
   select ${customerColumnsOf('c')}
     from named cross join lateral (
       select * from customer
        where lane = $1 and tenant_id = $2 and ordinal > 0 and ordinal = named.ordinal and status = 'ACTIVE' limit 1) as c
    order by named.ordinal desc`,
)

/** Customers in whose name each word of the text is the beginning of a word; the latest first. */
export async function findCustomersByName(
  db: Queryable,
  tenant: Tenant,
  { text, limit }: { text: string; limit: number },
): Promise<Customer[]> {
  const words = foldName(text)
    .split(' ')
    .filter((word) => word !== '')
    .slice(0, 5)
  const values = [words, words.map(endOfPrefix), words.map((word) => ` ${word}`), limit]
  return words.length === 0 ? [] : db.query<Customer>(byName, [tenant.lane, tenant.id, ...values])
}

const ownersOf = statement(
  'customers.owning',
  `select a.customer_reference as reference
     from unnest($3::text[]) as k (number)
    cross join lateral (
      select customer_reference from virtual_account
       where lane = $1 and tenant_id = $2 and account_number = k.number order by opened_at desc limit 1) as a
    where a.customer_reference is not null`,
)

type CustomerNames = { references: string[]; accounts: string[] }

export async function findCustomersByReference(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  { references, accounts }: CustomerNames,
): Promise<Customer[]> {
  const owners =
    accounts.length === 0 ? [] : await db.query<{ reference: string }>(ownersOf, [tenant.lane, tenant.id, accounts])
  const all = new Set([...references, ...owners.map(({ reference }) => reference)])
  if (all.size === 0) return []
  return findCustomers(
    inLane(db, tenant.lane),
    [...all].map((reference) => ({ tenantId: tenant.id, reference })),
  )
}

export async function* walkAccounts({ db }: Pick<Context, 'db'>, tenant: Tenant): AsyncGenerator<VirtualAccount[]> {
  for await (const rows of walkDown(accountList, db, tenant, {})) yield rows.map(accountOf)
}

export function walkCustomers({ db }: Pick<Context, 'db'>, tenant: Tenant): AsyncGenerator<Customer[]> {
  return walkDown(customerList, db, tenant, {})
}

export type AccountsQuestion = AccountFilter & PageQuestion

export type VirtualAccountPage = { accounts: VirtualAccount[]; total: number }

export async function listAccounts(
  { db }: Context,
  tenant: Tenant,
  { page, limit, ...filter }: AccountsQuestion,
): Promise<VirtualAccountPage> {
  const question = { page, limit }
  if (Object.values(filter).every((wanted) => wanted === undefined)) {
    const { rows, total } = await accountList.page(db, tenant, question)
    return { accounts: rows.map(accountOf), total }
  }
  const { count, page: pageOf, values } = filteredBy(tenant, filter)
  const [counted] = await db.query<{ total: bigint }>(count, values)
  const total = Number(counted?.total ?? 0n)
  const slice = sliceOf(question)
  if (slice.offset >= total) return { accounts: [], total }
  const rows = await db.query<VirtualAccountRow>(pageOf, [...values, slice.offset, slice.limit])
  return { accounts: rows.map(accountOf), total }
}
