// All SQL of customers. The SQL of their accounts is in account-queries.ts.

import type { Tenant } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type InLane, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { lookUp } from '#platform/db/statement.ts'
import { numberedList } from '#platform/db/numbered-list.ts'
import type { Customer } from './customers.ts'

/** The BVN is sealed. */
export type StoredCustomer = Customer & { sealedBvn: Buffer | null }

export const customerColumnsOf = (
  r: string,
): string => `${r}.lane, ${r}.tenant_id as "tenantId", ${r}.reference, ${r}.id,
  ${r}.first_name as "firstName", ${r}.last_name as "lastName", ${r}.email, ${r}.phone_number as "phoneNumber", ${r}.status,
  ${r}.bvn as "sealedBvn", ${r}.metadata, ${r}.created_at as "createdAt", ${r}.updated_at as "updatedAt"`

const columns = customerColumnsOf('c')

export const customerList = numberedList<StoredCustomer>({
  name: 'customers',
  table: 'customer',
  columns: customerColumnsOf('r'),
})

export type CustomerKey = { tenantId: Uuid; reference: string }

const findByKeys = statement(
  'customers.find',
  lookUp({ table: 'customer', row: 'c', columns, key: { tenant_id: 'uuid', reference: 'text' } }),
)

export function findCustomers(db: InLane, keys: CustomerKey[]): Promise<StoredCustomer[]> {
  return db.query<StoredCustomer>(findByKeys, [db.lane, ...arraysOf(keys, 'tenantId', 'reference')])
}

export type NewCustomer = StoredCustomer & { ordinal: bigint }

const insertRows = statement(
  'customers.insert',
  `insert into customer
     (lane, status, tenant_id, reference, id, ordinal, first_name, last_name, email, phone_number, bvn, metadata,
      created_at, updated_at)
   select $1, 'ACTIVE', v.tenant_id, v.reference, v.id, v.ordinal, v.first_name, v.last_name, v.email, v.phone_number,
          decode(v.bvn, 'base64'), v.metadata, v.created_at, v.created_at
     from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::text[], $12::timestamptz[])
       as v (tenant_id, reference, id, ordinal, first_name, last_name, email, phone_number, bvn, metadata, created_at)`,
)

export function insertCustomers(tx: Tx, rows: NewCustomer[]): void {
  tx.send(insertRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'reference', 'id', 'ordinal', 'firstName', 'lastName', 'email', 'phoneNumber'),
    arrayOf(rows, (row) => row.sealedBvn?.toString('base64') ?? null),
    ...arraysOf(rows, 'metadata', 'createdAt'),
  ])
}

// Each pair of parameters is a flag and a value. One statement, so that two concurrent corrections lose nothing.
const updateRow = statement(
  'customers.update',
  `update customer c
      set first_name = coalesce($4, c.first_name), last_name = coalesce($5, c.last_name),
          email = case when $6 then $7 else c.email end,
          phone_number = case when $8 then $9 else c.phone_number end,
          bvn = case when $10 then $11 else c.bvn end,
          metadata = case when $12 then $13 else c.metadata end,
          updated_at = greatest(c.updated_at, $14)
    where c.lane = $1 and c.tenant_id = $2 and c.reference = $3 and c.status = 'ACTIVE'
   returning ${columns}`,
)

/** Undefined keeps the value; null deletes it. */
export type CustomerChanges = {
  firstName?: string | undefined
  lastName?: string | undefined
  email?: string | null | undefined
  phoneNumber?: string | null | undefined
  sealedBvn?: Buffer | null | undefined
  metadata?: string | null | undefined
}

/** Undefined if there is no such customer, or it was erased. */
export async function updateCustomer(
  db: Queryable,
  tenant: Tenant,
  reference: string,
  changes: CustomerChanges,
  now: Date,
): Promise<StoredCustomer | undefined> {
  const change = (value: string | Buffer | null | undefined) => [value !== undefined, value ?? null]
  const [row] = await db.query<StoredCustomer>(updateRow, [
    tenant.lane,
    tenant.id,
    reference,
    changes.firstName ?? null,
    changes.lastName ?? null,
    ...change(changes.email),
    ...change(changes.phoneNumber),
    ...change(changes.sealedBvn),
    ...change(changes.metadata),
    now,
  ])
  return row
}

const nameOfBusiness = statement(
  'customers.business_name',
  'select b.name from tenant t join business b on b.id = t.business_id where t.lane = $1 and t.id = $2',
)

/** The name that payers see if the business sent none. */
export async function businessNameOf(db: Queryable, tenant: Tenant): Promise<string> {
  const [row] = await db.query<{ name: string }>(nameOfBusiness, [tenant.lane, tenant.id])
  return row?.name ?? ''
}

const findByAccounts = statement(
  'customers.of_accounts',
  `select a.id as "accountId", ${columns}
     from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as k (tenant_id, account_number, paid_at)
     cross join lateral (
       select id, customer_reference from virtual_account
        where lane = $1 and tenant_id = k.tenant_id and account_number = k.account_number and opened_at <= k.paid_at
        order by opened_at desc limit 1) as a
     cross join lateral (
       select * from customer
        where lane = $1 and tenant_id = k.tenant_id and reference = a.customer_reference limit 1) as c`,
)

/** Finds customers by their paid accounts. */
export async function findCustomersOfAccounts(
  db: InLane,
  keys: { tenantId: Uuid; accountNumber: string; paidAt: Date }[],
): Promise<Map<Uuid, Customer>> {
  const rows = await db.query<Customer & { accountId: Uuid }>(findByAccounts, [
    db.lane,
    ...arraysOf(keys, 'tenantId', 'accountNumber', 'paidAt'),
  ])
  return new Map(rows.map(({ accountId, ...customer }) => [accountId, customer]))
}
