// All SQL that writes, locks or claims virtual accounts, and the look-up of a number's owner. Lists are in sql-lists.ts.

import type { Environment, Tenant } from '#base/context.ts'
import { arrayOf, statement, type Queryable, type Statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { toKobo, type Currency } from '#base/money.ts'
import type { AccountStatus, AccountType, AmountPolicy, VirtualAccount } from './account.ts'
import type { Last } from './customer.ts'

export type AccountRow = {
  lane: number
  tenant_id: Uuid
  account_number: string
  id: Uuid
  type: AccountType
  reference: string | null
  account_name: string
  bank_name: string
  bank_slug: string
  currency: Currency
  status: AccountStatus
  amount: bigint | null
  amount_policy: AmountPolicy | null
  narration: string | null
  expires_at: Date | null
  customer_id: Uuid | null
  customer_reference: string | null
  metadata: string | null
  created_at: Date
  updated_at: Date
}

export const accountColumns = `a.lane, a.tenant_id, a.account_number, a.id, a.type, a.reference, a.account_name, a.bank_name,
  a.bank_slug, a.currency, a.status, a.amount, a.amount_policy, a.narration, a.expires_at, a.customer_id,
  a.customer_reference, a.metadata, a.created_at, a.updated_at`

export function accountOf(row: AccountRow): VirtualAccount {
  const { amount, amount_policy: policy, expires_at: expiresAt, customer_id: id, customer_reference: reference } = row
  return {
    lane: row.lane,
    tenantId: row.tenant_id,
    accountNumber: row.account_number,
    id: row.id,
    type: row.type,
    reference: row.reference,
    accountName: row.account_name,
    bankName: row.bank_name,
    bankSlug: row.bank_slug,
    currency: row.currency,
    status: row.status,
    narration: row.narration,
    metadata: row.metadata,
    order:
      amount === null || policy === null || expiresAt === null ? null : { amount: toKobo(amount), policy, expiresAt },
    customer: id === null || reference === null ? null : { id, reference },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export type AccountKey = { tenantId: Uuid; accountNumber: string }

// One look-up in the primary key for each key, whatever a planner without statistics believes (see payments/sql.ts).
const lookUp = (lock: string): string =>
  `select ${accountColumns}
     from unnest($2::uuid[], $3::text[]) as k (tenant_id, account_number)
     cross join lateral (
       select * from virtual_account
        where lane = $1 and tenant_id = k.tenant_id and account_number = k.account_number limit 1 ${lock}) as a`

const findByKeys = statement('accounts.find', lookUp(''))
const lockByKeys = statement('accounts.lock', lookUp('for update'))

async function askByKeys(db: Queryable, what: Statement, lane: number, keys: AccountKey[]): Promise<VirtualAccount[]> {
  const values = [lane, arrayOf(keys, (key) => key.tenantId), arrayOf(keys, (key) => key.accountNumber)]
  return (await db.query<AccountRow>(what, values)).map(accountOf)
}

export function findAccounts(db: Queryable, lane: number, keys: AccountKey[]): Promise<VirtualAccount[]> {
  return askByKeys(db, findByKeys, lane, keys)
}

/** Nobody else can change these until the transaction ends. */
export function lockAccounts(tx: Tx, lane: number, keys: AccountKey[]): Promise<VirtualAccount[]> {
  return askByKeys(tx, lockByKeys, lane, keys)
}

// The second of the two questions without a tenant (the first is the look-up of a key): a notice knows only a number,
// and the answer is whose it is. The primary key begins with what it knows.
const ownersOf = statement(
  'accounts.owners',
  `select n.account_number, n.lane, n.tenant_id as id, n.environment
     from unnest($2::text[]) as k (account_number)
     cross join lateral (
       select * from virtual_account_number where environment = $1 and account_number = k.account_number limit 1) as n`,
)

export async function findOwners(
  db: Queryable,
  environment: Environment,
  numbers: string[],
): Promise<Map<string, Tenant>> {
  const rows = await db.query<Tenant & { account_number: string }>(ownersOf, [
    environment,
    arrayOf(numbers, (number) => number),
  ])
  return new Map(rows.map(({ account_number, lane, id }) => [account_number, { lane, id, environment }]))
}

// The end of an index. Asked under the tenants' locks, so it cannot move.
const lastOfTenants = statement(
  'accounts.last_of_tenants',
  `select t.id as tenant_id, last.ordinal, last.created_at
     from unnest($2::uuid[]) as t (id)
     cross join lateral (
       select a.ordinal, a.created_at from virtual_account a
        where a.lane = $1 and a.tenant_id = t.id and a.ordinal > 0
        order by a.ordinal desc limit 1) as last`,
)

export async function lastAccounts(db: Queryable, lane: number, tenantIds: Uuid[]): Promise<Map<Uuid, Last>> {
  const values = [lane, arrayOf(tenantIds, (id) => id)]
  const rows = await db.query<{ tenant_id: Uuid; ordinal: bigint; created_at: Date }>(lastOfTenants, values)
  return new Map(rows.map((row) => [row.tenant_id, { ordinal: row.ordinal, createdAt: row.created_at }]))
}

/** What keeps a second account from being opened: a dynamic one of this reference, an open one at this bank. */
export type Claim =
  | { tenantId: Uuid; type: 'dynamic'; reference: string }
  | { tenantId: Uuid; type: 'static'; reference: string; bankSlug: string }

// The conditions repeat those of the unique indexes, so that each look-up goes through one of them.
const rivalsOf = statement(
  'accounts.rivals',
  `select k.type, k.tenant_id, k.reference, k.bank_slug
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

export function claimText(claim: Claim): string {
  return `${claim.tenantId} ${claim.type} ${claim.reference} ${claim.type === 'static' ? claim.bankSlug : ''}`
}

/** Those claims that somebody has made before, as texts. */
export async function findRivals(db: Queryable, lane: number, claims: Claim[]): Promise<Set<string>> {
  const rows = await db.query<{ type: AccountType; tenant_id: Uuid; reference: string; bank_slug: string }>(rivalsOf, [
    lane,
    arrayOf(claims, (claim) => claim.tenantId),
    arrayOf(claims, (claim) => claim.type),
    arrayOf(claims, (claim) => claim.reference),
    arrayOf(claims, (claim) => (claim.type === 'static' ? claim.bankSlug : '')),
  ])
  return new Set(
    rows.map(({ type, tenant_id: tenantId, reference, bank_slug: bankSlug }) =>
      claimText({ type, tenantId, reference, bankSlug }),
    ),
  )
}

const reserveNumbers = statement(
  'accounts.reserve_numbers',
  `insert into virtual_account_number (lane, environment, account_number, tenant_id)
   select $1, v.environment, v.account_number, v.tenant_id
     from unnest($2::text[], $3::text[], $4::uuid[]) as v (environment, account_number, tenant_id)
    order by v.environment, v.account_number
   on conflict do nothing returning environment, account_number`,
)

/** Those numbers that were free and are now ours, each as `environment number`. */
export async function takeNumbers(
  tx: Tx,
  lane: number,
  wanted: { environment: Environment; accountNumber: string; tenantId: Uuid }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ environment: Environment; account_number: string }>(reserveNumbers, [
    lane,
    arrayOf(wanted, (one) => one.environment),
    arrayOf(wanted, (one) => one.accountNumber),
    arrayOf(wanted, (one) => one.tenantId),
  ])
  return new Set(rows.map((row) => `${row.environment} ${row.account_number}`))
}

export type NewRow = VirtualAccount & { ordinal: bigint }

const insertRows = statement(
  'accounts.insert',
  `insert into virtual_account
     (lane, status, currency, tenant_id, account_number, id, ordinal, type, reference, account_name, bank_name, bank_slug,
      amount, amount_policy, narration, expires_at, due_at, customer_id, customer_reference, metadata, created_at, updated_at)
   select $1, 'ACTIVE', 'NGN', v.tenant_id, v.account_number, v.id, v.ordinal, v.type, v.reference, v.account_name,
          v.bank_name, v.bank_slug, v.amount, v.amount_policy, v.narration, v.expires_at, v.expires_at, v.customer_id,
          v.customer_reference, v.metadata, v.created_at, v.created_at
     from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::bigint[], $12::text[], $13::text[], $14::timestamptz[], $15::uuid[], $16::text[], $17::text[],
       $18::timestamptz[])
       as v (tenant_id, account_number, id, ordinal, type, reference, account_name, bank_name, bank_slug, amount,
             amount_policy, narration, expires_at, customer_id, customer_reference, metadata, created_at)`,
)

export function insertAccounts(tx: Tx, lane: number, rows: NewRow[]): void {
  tx.send(insertRows, [
    lane,
    arrayOf(rows, (row) => row.tenantId),
    arrayOf(rows, (row) => row.accountNumber),
    arrayOf(rows, (row) => row.id),
    arrayOf(rows, (row) => row.ordinal),
    arrayOf(rows, (row) => row.type),
    arrayOf(rows, (row) => row.reference),
    arrayOf(rows, (row) => row.accountName),
    arrayOf(rows, (row) => row.bankName),
    arrayOf(rows, (row) => row.bankSlug),
    arrayOf(rows, (row) => row.order?.amount ?? null),
    arrayOf(rows, (row) => row.order?.policy ?? null),
    arrayOf(rows, (row) => row.narration),
    arrayOf(rows, (row) => row.order?.expiresAt ?? null),
    arrayOf(rows, (row) => row.customer?.id ?? null),
    arrayOf(rows, (row) => row.customer?.reference ?? null),
    arrayOf(rows, (row) => row.metadata),
    arrayOf(rows, (row) => row.createdAt),
  ])
}

// The rows are locked (by `lockAccounts`), so they can be updated where they lie (see payments/sql.ts).
const completeRows = statement(
  'accounts.complete',
  `with v as materialized (
     select a.ctid as place, k.at
       from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as k (tenant_id, account_number, at)
       cross join lateral (
         select ctid from virtual_account
          where lane = $1 and tenant_id = k.tenant_id and account_number = k.account_number limit 1) as a)
   update virtual_account a set status = 'COMPLETED', updated_at = greatest(a.updated_at, v.at), due_at = null
     from v where a.ctid = v.place`,
)

export function completeAccounts(tx: Tx, lane: number, rows: (AccountKey & { at: Date })[]): void {
  tx.send(completeRows, [
    lane,
    arrayOf(rows, (row) => row.tenantId),
    arrayOf(rows, (row) => row.accountNumber),
    arrayOf(rows, (row) => row.at),
  ])
}

// Found by its number alone: type and status in the same condition would offer the index of open accounts, which a planner
// without statistics walks for the whole tenant. Only a closing changes a static account, so the locked row stays in place.
const closeRow = statement(
  'accounts.close',
  `with found as materialized (
     select ctid as place, type, status from virtual_account
      where lane = $1 and tenant_id = $2 and account_number = $3
        for update)
   update virtual_account a set status = 'CLOSED', updated_at = greatest(a.updated_at, $4)
     from found where a.ctid = found.place and found.type = 'static' and found.status = 'ACTIVE'
   returning ${accountColumns}`,
)

/** Undefined when it was not open. */
export async function closeAccount(
  db: Queryable,
  tenant: Tenant,
  accountNumber: string,
  now: Date,
): Promise<VirtualAccount | undefined> {
  const [row] = await db.query<AccountRow>(closeRow, [tenant.lane, tenant.id, accountNumber, now])
  return row === undefined ? undefined : accountOf(row)
}

// A row that a payment holds right now is left to the payment; if it does not complete the account, the next turn does.
const expireDue = statement(
  'accounts.expire',
  `with due as materialized (
     select ctid as place from virtual_account
      where lane = $1 and due_at <= $2
      order by due_at limit $3
        for update skip locked)
   update virtual_account a set status = 'EXPIRED', updated_at = $2, due_at = null
     from due where a.ctid = due.place
   returning a.id`,
)

export async function expireAccounts(db: Queryable, lane: number, now: Date, limit: number): Promise<number> {
  return (await db.query(expireDue, [lane, now, limit])).length
}
