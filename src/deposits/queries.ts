// SQL that writes deposits or finds them by key. Lists are in list.ts.

import { arraysOf, statement, type InLane, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Deposit } from './deposit.ts'

export const depositColumnsOf = (r: string): string => `${r}.lane, ${r}.tenant_id as "tenantId", ${r}.id, ${r}.status,
  ${r}.currency, ${r}.amount, ${r}.fee, ${r}.provider, ${r}.provider_id as "providerId",
  ${r}.account_number as "accountNumber", ${r}.account_name as "accountName", ${r}.bank_name as "bankName",
  ${r}.customer_reference as "customerReference", ${r}.sender_account_name as "senderAccountName",
  ${r}.sender_account_number as "senderAccountNumber", ${r}.sender_bank_name as "senderBankName", ${r}.narration,
  ${r}.return_reason as "returnReason", ${r}.held, ${r}.due_at as "dueAt", ${r}.paid_at as "paidAt", ${r}.created_at as "createdAt",
  ${r}.updated_at as "updatedAt"`

const depositColumns = depositColumnsOf('d')

export type DepositKey = { tenantId: Uuid; id: Uuid }

// One lookup in one index per key, even if the planner has no statistics. Two indexes begin with lane and tenant here.
// For an equality condition, the planner assumes that lane and tenant alone select as few rows as the whole key. So it
// scans all deposits of the tenant for each key (700 ms for 250 notices at 20 000 deposits). Therefore the query takes
// the first row from the key on, in an order that only one index has, and then compares the key.
const findByIds = statement(
  'deposits.find',
  `select ${depositColumns}
     from unnest($2::uuid[], $3::uuid[]) as k (tenant_id, id)
     cross join lateral (
       select * from deposit
        where lane = $1 and (tenant_id, id) >= (k.tenant_id, k.id) order by tenant_id, id limit 1) as d
    where d.tenant_id = k.tenant_id and d.id = k.id`,
)

export function findDeposits(db: InLane, keys: DepositKey[]): Promise<Deposit[]> {
  return db.query<Deposit>(findByIds, [db.lane, ...arraysOf(keys, 'tenantId', 'id')])
}

export type NoticeKey = { tenantId: Uuid; provider: string; providerId: string }

// Reads in the order of the index of notices, for the reason given at `findByIds`.
const findByNotices = statement(
  'deposits.find_by_notice',
  `select ${depositColumns}
     from unnest($2::uuid[], $3::text[], $4::text[]) as k (tenant_id, provider, provider_id)
     cross join lateral (
       select * from deposit
        where lane = $1 and (tenant_id, provider, provider_id) >= (k.tenant_id, k.provider, k.provider_id)
        order by tenant_id, provider, provider_id limit 1) as d
    where d.tenant_id = k.tenant_id and d.provider = k.provider and d.provider_id = k.provider_id`,
)

export function findDepositsOfNotices(db: InLane, keys: NoticeKey[]): Promise<Deposit[]> {
  return db.query<Deposit>(findByNotices, [db.lane, ...arraysOf(keys, 'tenantId', 'provider', 'providerId')])
}

// Uses only the index of FAILED deposits, because a static account may have had any number of payments since its last
// failed one.
const lastFailedRow = statement(
  'deposits.last_failed',
  `select ${depositColumns} from deposit d
    where d.lane = $1 and d.tenant_id = $2 and d.account_number = $3 and d.account_number <> '' and d.status = 'FAILED'
      and (d.account_number, d.ordinal) > ($3, 0) and d.ordinal > 0
    order by d.account_number desc, d.ordinal desc limit 1`,
)

export async function findLastFailed(
  db: InLane,
  { tenantId, accountNumber }: Pick<Deposit, 'tenantId' | 'accountNumber'>,
): Promise<Deposit | undefined> {
  return (await db.query<Deposit>(lastFailedRow, [db.lane, tenantId, accountNumber]))[0]
}

export type NewDeposit = Deposit & { ordinal: bigint }

const insertRows = statement(
  'deposits.insert',
  `insert into deposit
     (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number, account_name,
      bank_name, customer_reference, sender_account_name, sender_account_number, sender_bank_name, narration,
      return_reason, held, due_at, paid_at, created_at, updated_at)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
     $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
     $18::text[], $19::text[], $20::boolean[], $21::timestamptz[], $22::timestamptz[], $23::timestamptz[], $24::timestamptz[])
     as v`,
)

export function insertDeposits(tx: Tx, rows: NewDeposit[]): void {
  tx.send(insertRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'id', 'ordinal', 'status', 'currency', 'amount', 'fee', 'provider', 'providerId'),
    ...arraysOf(rows, 'accountNumber', 'accountName', 'bankName', 'customerReference', 'senderAccountName'),
    ...arraysOf(rows, 'senderAccountNumber', 'senderBankName', 'narration', 'returnReason', 'held', 'dueAt'),
    ...arraysOf(rows, 'paidAt', 'createdAt', 'updatedAt'),
  ])
}

// Only PENDING deposits change; a final status stays, whatever the code does. Rows are updated by ctid, as in
// payments/queries.ts: a PENDING deposit changes only under its tenant's lock, so no row moves meanwhile. The lookup
// checks the status, because an update that checked it would read all PENDING rows of the lane for the join.
const settleRows = statement(
  'deposits.settle',
  `with v as materialized (
     select d.ctid as row_place, k.*
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::boolean[], $8::timestamptz[])
         as k (tenant_id, id, status, return_reason, at, held, due_at)
       cross join lateral (
         select ctid, tenant_id, id, status from deposit
          where lane = $1 and (tenant_id, id) >= (k.tenant_id, k.id) order by tenant_id, id limit 1) as d
      where d.tenant_id = k.tenant_id and d.id = k.id and d.status = 'PENDING')
   update deposit d set status = v.status, return_reason = v.return_reason, updated_at = v.at, held = v.held,
          due_at = v.due_at
     from v where d.lane is not distinct from $1 and d.ctid = v.row_place`,
)

export function settleDeposits(tx: Tx, rows: Deposit[]): void {
  tx.send(settleRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'id', 'status', 'returnReason', 'updatedAt', 'held', 'dueAt'),
  ])
}
