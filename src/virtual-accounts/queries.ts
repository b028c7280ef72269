// The SQL of customers, then the SQL that finds, locks and writes their virtual accounts. Lists of accounts are in list.ts,
// owners of numbers in account-owners.ts, openings in provisioning-queries.ts.

import type { Tenant } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type InLane, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { lookUp } from '#platform/db/statement.ts'
import { numberedList } from '#platform/db/numbered-list.ts'
import { present } from '#platform/assert.ts'
import type { Money } from '#platform/money.ts'
import type { Customer } from './customers.ts'
import type { AmountPolicy, VirtualAccount } from './account.ts'

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

const customersByReference = statement(
  'customers.find',
  lookUp({ table: 'customer', row: 'c', columns, key: { tenant_id: 'uuid', reference: 'text' } }),
)

export function findCustomers(db: InLane, keys: CustomerKey[]): Promise<StoredCustomer[]> {
  return db.query<StoredCustomer>(customersByReference, [db.lane, ...arraysOf(keys, 'tenantId', 'reference')])
}

export type NewCustomer = StoredCustomer & { ordinal: bigint }

const insertCustomerRows = statement(
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
  tx.send(insertCustomerRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'reference', 'id', 'ordinal', 'firstName', 'lastName', 'email', 'phoneNumber'),
    arrayOf(rows, (row) => row.sealedBvn?.toString('base64') ?? null),
    ...arraysOf(rows, 'metadata', 'createdAt'),
  ])
}

// From $6 on, each pair of parameters is a flag and a value. One statement, so that two concurrent corrections lose nothing.
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

/** Columns that form one value in an account: the order of a dynamic one, the customer of a static one. */
export type FlatTerms = {
  amount: Money | null
  policy: AmountPolicy | null
  expiresAt: Date | null
  customerId: Uuid | null
  customerReference: string | null
}

export type VirtualAccountRow = Omit<VirtualAccount, 'order' | 'customer'> & FlatTerms

export const accountColumnsOf = (r: string): string => `${r}.lane, ${r}.tenant_id as "tenantId", ${r}.id, ${r}.type,
  ${r}.reference, ${r}.account_number as "accountNumber", ${r}.account_name as "accountName", ${r}.bank_name as "bankName",
  ${r}.bank_slug as "bankSlug", ${r}.rail, ${r}.handle, ${r}.currency, ${r}.status, ${r}.narration, ${r}.metadata, ${r}.amount,
  ${r}.amount_policy as "policy", ${r}.expires_at as "expiresAt", ${r}.customer_id as "customerId",
  ${r}.customer_reference as "customerReference", ${r}.opened_at as "openedAt", ${r}.created_at as "createdAt",
  ${r}.updated_at as "updatedAt"`

const accountColumns = accountColumnsOf('a')

export function accountOfRow<Rest>({
  amount,
  policy,
  expiresAt,
  customerId: id,
  customerReference: reference,
  ...rest
}: Rest & FlatTerms) {
  return {
    ...rest,
    order: amount === null || policy === null || expiresAt === null ? null : { amount, policy, expiresAt },
    customer: id === null || reference === null ? null : { id, reference },
  }
}

export function rowOfAccount<Rest extends Pick<VirtualAccount, 'order' | 'customer'>>({
  order,
  customer,
  ...rest
}: Rest): Omit<Rest, 'order' | 'customer'> & FlatTerms {
  return {
    ...rest,
    amount: order?.amount ?? null,
    policy: order?.policy ?? null,
    expiresAt: order?.expiresAt ?? null,
    customerId: customer?.id ?? null,
    customerReference: customer?.reference ?? null,
  }
}

export function accountOf(row: VirtualAccountRow): VirtualAccount {
  return accountOfRow(row)
}

type AccountKey = { tenantId: Uuid; accountNumber: string }

const key = { tenant_id: 'uuid', account_number: 'text' }
const accountsByNumber = statement(
  'accounts.find',
  lookUp({ table: 'virtual_account', row: 'a', columns: accountColumns, key, order: 'opened_at desc' }),
)

export async function findAccounts(db: InLane, keys: AccountKey[]): Promise<VirtualAccount[]> {
  const rows = await db.query<VirtualAccountRow>(accountsByNumber, [
    db.lane,
    ...arraysOf(keys, 'tenantId', 'accountNumber'),
  ])
  return rows.map(accountOf)
}

/** Identifies the account that had a number at the time of a payment. */
export type PaidKey = AccountKey & { paidAt: Date }

const lockByKeys = statement(
  'accounts.lock',
  `select ${accountColumns}
     from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as k (tenant_id, account_number, paid_at)
     cross join lateral (
       select * from virtual_account
        where lane = $1 and tenant_id = k.tenant_id and account_number = k.account_number and opened_at <= k.paid_at
        order by opened_at desc limit 1 for update) as a`,
)

export async function lockAccounts(tx: Tx, keys: PaidKey[]): Promise<VirtualAccount[]> {
  const rows = await tx.query<VirtualAccountRow>(lockByKeys, [
    tx.lane,
    ...arraysOf(keys, 'tenantId', 'accountNumber', 'paidAt'),
  ])
  return rows.map(accountOf)
}

// The conditions repeat those of the unique indexes, so that each lookup uses one of them.
const rivalsOf = statement(
  'accounts.rivals',
  `select k.type, k.tenant_id as "tenantId", k.reference, k.bank_slug as "bankSlug"
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as k (tenant_id, type, reference, bank_slug)
     cross join lateral (
       (select 1 from virtual_account a
         where k.type = 'dynamic' and a.lane = $1 and a.tenant_id = k.tenant_id and a.reference = k.reference
           and a.type = 'dynamic' and a.reference is not null limit 1)
       union all
       (select 1 from virtual_account a
         where k.type = 'static' and a.lane = $1 and a.tenant_id = k.tenant_id and a.customer_reference = k.reference
           and a.bank_slug = k.bank_slug and a.type = 'static' and a.status = 'ACTIVE' limit 1)) as rival`,
)

export async function findRivals(db: InLane, claims: UniquenessClaim[]): Promise<Set<string>> {
  const rows = await db.query<UniquenessClaim>(rivalsOf, [
    db.lane,
    ...arraysOf(claims, 'tenantId', 'type', 'reference'),
    arrayOf(claims, (claim) => (claim.type === 'static' ? claim.bankSlug : '')),
  ])
  return new Set(rows.map(claimText))
}

export type NewRow = VirtualAccount & { ordinal: bigint }

const insertAccountRows = statement(
  'accounts.insert',
  `insert into virtual_account
     (lane, status, currency, tenant_id, account_number, id, ordinal, type, reference, account_name, bank_name, bank_slug,
      amount, amount_policy, narration, expires_at, due_at, customer_id, customer_reference, metadata, created_at, updated_at,
      rail, handle, opened_at)
   select $1, 'ACTIVE', 'NGN', v.tenant_id, v.account_number, v.id, v.ordinal, v.type, v.reference, v.account_name,
          v.bank_name, v.bank_slug, v.amount, v.amount_policy, v.narration, v.expires_at, v.expires_at, v.customer_id,
          v.customer_reference, v.metadata, v.created_at, v.created_at, v.rail, v.handle, v.opened_at
     from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::bigint[], $12::text[], $13::text[], $14::timestamptz[], $15::uuid[], $16::text[], $17::text[],
       $18::timestamptz[], $19::text[], $20::text[], $21::timestamptz[])
       as v (tenant_id, account_number, id, ordinal, type, reference, account_name, bank_name, bank_slug, amount,
             amount_policy, narration, expires_at, customer_id, customer_reference, metadata, created_at, rail, handle, opened_at)`,
)

export function insertAccounts(tx: Tx, rows: NewRow[]): void {
  const flat = rows.map(rowOfAccount)
  tx.send(insertAccountRows, [
    tx.lane,
    ...arraysOf(flat, 'tenantId', 'accountNumber', 'id', 'ordinal', 'type', 'reference', 'accountName', 'bankName'),
    ...arraysOf(flat, 'bankSlug', 'amount', 'policy', 'narration', 'expiresAt', 'customerId', 'customerReference'),
    ...arraysOf(flat, 'metadata', 'createdAt', 'rail', 'handle', 'openedAt'),
  ])
}

// The rows are locked (by `lockAccounts`), so they can be updated by ctid (see payments/queries.ts).
const completeRows = statement(
  'accounts.complete',
  `with v as materialized (
     select a.ctid as row_place, k.at
       from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[])
         as k (tenant_id, account_number, opened_at, at)
       cross join lateral (
         select ctid from virtual_account
          where lane = $1 and tenant_id = k.tenant_id and account_number = k.account_number and opened_at = k.opened_at
          limit 1) as a)
   update virtual_account a set status = 'COMPLETED', updated_at = greatest(a.updated_at, v.at), due_at = null
     from v where a.lane is not distinct from $1 and a.ctid = v.row_place`,
)

export function completeAccounts(tx: Tx, rows: VirtualAccount[]): void {
  tx.send(completeRows, [tx.lane, ...arraysOf(rows, 'tenantId', 'accountNumber', 'openedAt', 'updatedAt')])
}

// Finds the account by the primary key, because the rail may have given its number to another account since the closing
// began. The condition leaves out type and status: with them, a planner without statistics may choose the index of open
// accounts and scan the whole tenant.
const closeRow = statement(
  'accounts.close',
  `update virtual_account a
      set status = 'CLOSED', updated_at = case when a.status = 'ACTIVE' then greatest(a.updated_at, $5) else a.updated_at end
    where a.lane = $1 and a.tenant_id = $2 and a.account_number = $3 and a.opened_at = $4
   returning ${accountColumns}`,
)

/** Returns the closed account. If another request has closed it before, nothing changes. The account must be static. */
export async function closeAccount(
  db: Queryable,
  tenant: Tenant,
  { accountNumber, openedAt }: Pick<VirtualAccount, 'accountNumber' | 'openedAt'>,
  now: Date,
): Promise<VirtualAccount> {
  const values = [tenant.lane, tenant.id, accountNumber, openedAt, now]
  const [row] = await db.query<VirtualAccountRow>(closeRow, values)
  return accountOf(present(row, 'accounts are never deleted'))
}

// Skips a row that a payment has locked; if the payment does not complete the account, the next run expires it.
const expireDue = statement(
  'accounts.expire',
  `with due as materialized (
     select ctid as row_place from virtual_account
      where lane = $1 and due_at <= $2
      order by due_at limit $3
        for update skip locked)
   update virtual_account a set status = 'EXPIRED', updated_at = greatest(a.updated_at, $2), due_at = null
     from due where a.lane = $1 and a.ctid = any(array(select row_place from due)) and a.ctid = due.row_place
   returning a.id`,
)

export async function expireAccounts(db: InLane, now: Date, limit: number): Promise<number> {
  return (await db.query(expireDue, [db.lane, now, limit])).length
}

// A uniqueness claim prevents a second account: a dynamic one with the same reference, or an open static one of the
// same customer and bank. A dynamic account has its claim for ever, a static one while it is open, and an opening from
// before its rail is asked. A new opening is checked against accounts and openings, under the tenant's lock.

type UniquenessClaim =
  | { tenantId: Uuid; type: 'dynamic'; reference: string }
  | { tenantId: Uuid; type: 'static'; reference: string; bankSlug: string }

type Claimant = Pick<VirtualAccount, 'customer' | 'reference'> & { bankSlug: string | null }

/** Undefined for a dynamic account without a reference, which conflicts with no other. */
export function claimOf(tenantId: Uuid, { customer, reference, bankSlug }: Claimant): UniquenessClaim | undefined {
  if (customer !== null) {
    const slug = present(bankSlug, 'a static account is claimed at a bank')
    return { tenantId, type: 'static', reference: customer.reference, bankSlug: slug }
  }
  return reference === null ? undefined : { tenantId, type: 'dynamic', reference }
}

/** Unique within its tenant. A slug has no spaces, so two claims never have the same name. */
export function claimName(claim: UniquenessClaim): string {
  return claim.type === 'static' ? `static ${claim.reference} ${claim.bankSlug}` : `dynamic ${claim.reference}`
}

export function claimText(claim: UniquenessClaim): string {
  return `${claim.tenantId} ${claimName(claim)}`
}
