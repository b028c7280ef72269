// The SQL of accounts and movements; only post.ts writes them. That of the statement is in sql-entries.ts, the proofs are in
// sql-verify.ts.

import { arraysOf, statement, type InLane, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { AccountName } from './chart.ts'

export type AccountRow = {
  tenantId: Uuid
  currency: string
  name: AccountName
  debits: bigint
  credits: bigint
  movements: bigint
  touchedAt: Date
  /** Of `available`: what unfinished collections and PENDING deposits may still bring. */
  incoming: bigint
  /** Of `available`: limits stand beside the balance. */
  limited: boolean
}

const columns =
  'tenant_id as "tenantId", currency, name, debits, credits, movements, touched_at as "touchedAt", incoming, limited'

// `order by` makes every transaction lock in the same order, so that two of them wait for each other at most in line.
// Plan on 5 000 accounts: index scan on the primary key, one page per tenant.
const lockAccountsOf = statement(
  'ledger.lock_accounts',
  `select ${columns} from ledger_account
    where lane = $1 and tenant_id = any($2::uuid[])
    order by tenant_id, currency, name
      for update`,
)

export function lockAccounts(tx: Tx, tenantIds: Uuid[]): Promise<AccountRow[]> {
  return tx.query<AccountRow>(lockAccountsOf, [tx.lane, tenantIds])
}

const openAccountsOf = statement(
  'ledger.open_accounts',
  `insert into ledger_account (lane, tenant_id, currency, name)
   select $1, $2, $3, name from unnest($4::text[]) as name`,
)

export function openAccounts(tx: Tx, tenantId: Uuid, currency: string, names: readonly string[]): void {
  tx.send(openAccountsOf, [tx.lane, tenantId, currency, names])
}

// The rows are locked (by `lockAccounts`), so they can be updated where they lie; the lateral look-up keeps a planner
// without statistics from comparing the batch with all accounts of the lane.
const updateAccountsTo = statement(
  'ledger.update_accounts',
  `with v as materialized (
     select a.ctid as row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::timestamptz[], $9::bigint[])
         as k (tenant_id, currency, name, debits, credits, movements, touched_at, incoming)
       cross join lateral (
         select ctid from ledger_account
          where lane = $1 and tenant_id = k.tenant_id and currency = k.currency and name = k.name limit 1) as a)
   update ledger_account a
      set debits = v.debits, credits = v.credits, movements = v.movements, touched_at = v.touched_at,
          incoming = v.incoming
     from v where a.lane is not distinct from $1 and a.ctid = v.row_place`,
)

export function updateAccounts(tx: Tx, rows: AccountRow[]): void {
  tx.send(updateAccountsTo, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'currency', 'name', 'debits', 'credits', 'movements', 'touchedAt', 'incoming'),
  ])
}

const markAccount = statement(
  'ledger.mark_limited',
  `update ledger_account set limited = $4
    where lane = $1 and tenant_id = $2 and currency = $3 and name = 'available'`,
)

export function markLimited(tx: Tx, tenantId: Uuid, currency: string, limited: boolean): void {
  tx.send(markAccount, [tx.lane, tenantId, currency, limited])
}

export type MovementRow = {
  tenantId: Uuid
  id: Uuid
  currency: string
  debit: AccountName
  credit: AccountName
  amount: bigint
  kind: string
  sourceId: Uuid
  reference: string
  entry: bigint | null
  balanceAfter: bigint | null
  createdAt: Date
}

const insertMovementsOf = statement(
  'ledger.insert_movements',
  `insert into ledger_movement
     (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at)
   select $1, v.* from unnest(
     $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::uuid[], $10::text[],
     $11::bigint[], $12::bigint[], $13::timestamptz[]) as v`,
)

export function insertMovements(tx: Tx, rows: MovementRow[]): void {
  tx.send(insertMovementsOf, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'id', 'currency', 'debit', 'credit', 'amount'),
    ...arraysOf(rows, 'kind', 'sourceId', 'reference', 'entry', 'balanceAfter', 'createdAt'),
  ])
}

const balancesOf = statement(
  'ledger.balances',
  `select ${columns} from ledger_account
    where lane = $1 and tenant_id = any($2::uuid[]) and name in ('available', 'reserved')
    order by tenant_id, currency, name`,
)

export function readBalances(lane: InLane, tenantIds: Uuid[]): Promise<AccountRow[]> {
  return lane.query<AccountRow>(balancesOf, [lane.lane, tenantIds])
}
