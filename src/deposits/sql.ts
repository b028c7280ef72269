// All SQL that writes deposits or finds them by key. Lists are in sql-lists.ts.

import type { Environment } from '#base/context.ts'
import { arrayOf, statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { toKobo, type Currency } from '#base/money.ts'
import type { ReturnReason } from '#customers/account.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { Deposit, DepositStatus } from './deposit.ts'

export type DepositRow = {
  lane: number
  tenant_id: Uuid
  id: Uuid
  status: DepositStatus
  currency: Currency
  amount: bigint
  fee: bigint
  provider: string
  provider_id: string
  account_number: string
  account_name: string
  bank_name: string
  customer_reference: string | null
  sender_account_name: string
  sender_account_number: string
  sender_bank_name: string
  narration: string
  return_reason: ReturnReason | null
  paid_at: Date
  created_at: Date
  updated_at: Date
}

export const depositColumns = `d.lane, d.tenant_id, d.id, d.status, d.currency, d.amount, d.fee, d.provider, d.provider_id,
  d.account_number, d.account_name, d.bank_name, d.customer_reference, d.sender_account_name, d.sender_account_number,
  d.sender_bank_name, d.narration, d.return_reason, d.paid_at, d.created_at, d.updated_at`

export function depositOf(row: DepositRow): Deposit {
  return {
    lane: row.lane,
    tenantId: row.tenant_id,
    id: row.id,
    status: row.status,
    currency: row.currency,
    amount: toKobo(row.amount),
    fee: toKobo(row.fee),
    provider: row.provider,
    providerId: row.provider_id,
    accountNumber: row.account_number,
    accountName: row.account_name,
    bankName: row.bank_name,
    customerReference: row.customer_reference,
    senderAccountName: row.sender_account_name,
    senderAccountNumber: row.sender_account_number,
    senderBankName: row.sender_bank_name,
    narration: row.narration,
    returnReason: row.return_reason,
    paidAt: row.paid_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export type DepositKey = { tenantId: Uuid; id: Uuid }

// One look-up in one index for each key, whatever a planner without statistics believes. Two indexes begin with lane and
// tenant here: asked for equality, it takes those two columns of either to find as little as the whole key does, and
// walks the tenant for each key (700 ms for 250 notices at 20 000 deposits). So what is asked for is the first row from
// the key on, in an order that one index alone has; whether that is the one is seen afterwards.
const findByIds = statement(
  'deposits.find',
  `select ${depositColumns}
     from unnest($2::uuid[], $3::uuid[]) as k (tenant_id, id)
     cross join lateral (
       select * from deposit
        where lane = $1 and (tenant_id, id) >= (k.tenant_id, k.id) order by tenant_id, id limit 1) as d
    where d.tenant_id = k.tenant_id and d.id = k.id`,
)

export async function findDeposits(db: Queryable, lane: number, keys: DepositKey[]): Promise<Deposit[]> {
  const values = [lane, arrayOf(keys, (key) => key.tenantId), arrayOf(keys, (key) => key.id)]
  return (await db.query<DepositRow>(findByIds, values)).map(depositOf)
}

export type NoticeKey = { tenantId: Uuid; provider: string; providerId: string }

// In the order of the index of notices, for the same reason.
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

export async function findDepositsOfNotices(db: Queryable, lane: number, keys: NoticeKey[]): Promise<Deposit[]> {
  const rows = await db.query<DepositRow>(findByNotices, [
    lane,
    arrayOf(keys, (key) => key.tenantId),
    arrayOf(keys, (key) => key.provider),
    arrayOf(keys, (key) => key.providerId),
  ])
  return rows.map(depositOf)
}

/** The place of a tenant's latest deposit in its list. */
export type Last = { ordinal: bigint; createdAt: Date }

// The end of an index. Asked under the tenants' locks, so it cannot move.
const lastOfTenants = statement(
  'deposits.last_of_tenants',
  `select t.id as tenant_id, last.ordinal, last.created_at
     from unnest($2::uuid[]) as t (id)
     cross join lateral (
       select d.ordinal, d.created_at from deposit d
        where d.lane = $1 and d.tenant_id = t.id and d.ordinal > 0
        order by d.ordinal desc limit 1) as last`,
)

export async function lastDeposits(db: Queryable, lane: number, tenantIds: Uuid[]): Promise<Map<Uuid, Last>> {
  const values = [lane, arrayOf(tenantIds, (id) => id)]
  const rows = await db.query<{ tenant_id: Uuid; ordinal: bigint; created_at: Date }>(lastOfTenants, values)
  return new Map(rows.map((row) => [row.tenant_id, { ordinal: row.ordinal, createdAt: row.created_at }]))
}

export type NewDeposit = Deposit & { ordinal: bigint }

const insertRows = statement(
  'deposits.insert',
  `insert into deposit
     (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number, account_name,
      bank_name, customer_reference, sender_account_name, sender_account_number, sender_bank_name, narration,
      return_reason, paid_at, created_at, updated_at)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
     $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
     $18::text[], $19::text[], $20::timestamptz[], $21::timestamptz[], $22::timestamptz[]) as v`,
)

export function insertDeposits(tx: Tx, lane: number, rows: NewDeposit[]): void {
  tx.send(insertRows, [
    lane,
    arrayOf(rows, (row) => row.tenantId),
    arrayOf(rows, (row) => row.id),
    arrayOf(rows, (row) => row.ordinal),
    arrayOf(rows, (row) => row.status),
    arrayOf(rows, (row) => row.currency),
    arrayOf(rows, (row) => row.amount),
    arrayOf(rows, (row) => row.fee),
    arrayOf(rows, (row) => row.provider),
    arrayOf(rows, (row) => row.providerId),
    arrayOf(rows, (row) => row.accountNumber),
    arrayOf(rows, (row) => row.accountName),
    arrayOf(rows, (row) => row.bankName),
    arrayOf(rows, (row) => row.customerReference),
    arrayOf(rows, (row) => row.senderAccountName),
    arrayOf(rows, (row) => row.senderAccountNumber),
    arrayOf(rows, (row) => row.senderBankName),
    arrayOf(rows, (row) => row.narration),
    arrayOf(rows, (row) => row.returnReason),
    arrayOf(rows, (row) => row.paidAt),
    arrayOf(rows, (row) => row.createdAt),
    arrayOf(rows, (row) => row.updatedAt),
  ])
}

// Only PENDING ones move: what is final stays as it is, whatever the code does. Rows are updated where they lie, as in
// payments/sql.ts: deposits change under their tenant's lock alone, so none moves meanwhile. The status is asked of the
// row that was found: asked of the row that is updated, all PENDING ones of the lane would be read to join with.
const settleRows = statement(
  'deposits.settle',
  `with v as materialized (
     select d.ctid as place, k.*
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
         as k (tenant_id, id, status, return_reason, at)
       cross join lateral (
         select ctid, tenant_id, id, status from deposit
          where lane = $1 and (tenant_id, id) >= (k.tenant_id, k.id) order by tenant_id, id limit 1) as d
      where d.tenant_id = k.tenant_id and d.id = k.id and d.status = 'PENDING')
   update deposit d set status = v.status, return_reason = v.return_reason, updated_at = v.at
     from v where d.ctid = v.place`,
)

export function settleDeposits(tx: Tx, lane: number, rows: Deposit[]): void {
  tx.send(settleRows, [
    lane,
    arrayOf(rows, (row) => row.tenantId),
    arrayOf(rows, (row) => row.id),
    arrayOf(rows, (row) => row.status),
    arrayOf(rows, (row) => row.returnReason),
    arrayOf(rows, (row) => row.updatedAt),
  ])
}

const keepRow = statement(
  'deposits.keep_notice',
  `insert into inbound_notice
     (environment, provider, provider_id, status, account_number, currency, amount, sender_account_name,
      sender_account_number, sender_bank_name, narration, occurred_at, received_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict do nothing`,
)

/** A notice of money for nobody. The same one twice is kept once. */
export async function keepNotice(
  db: Queryable,
  environment: Environment,
  notice: DepositNotice,
  now: Date,
): Promise<void> {
  await db.query(keepRow, [
    environment,
    notice.provider,
    notice.providerId,
    notice.status,
    notice.accountNumber,
    notice.currency,
    notice.amount,
    notice.senderAccountName,
    notice.senderAccountNumber,
    notice.senderBankName,
    notice.narration,
    new Date(notice.occurredAtMs),
    now,
  ])
}
