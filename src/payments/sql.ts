// The SQL that finds, claims and puts down payments. Rows are in sql-rows.ts, new ones in sql-insert.ts, what becomes of
// them in sql-change.ts, lists in sql-lists.ts.

import type { Environment } from '#base/context.ts'
import { arrayOf, statement, type InLane, type Statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Payment } from './payment.ts'
import { paymentColumns, paymentOf, type PaymentRow } from './sql-rows.ts'

export type PaymentKey = { tenantId: Uuid; reference: string }

// One look-up in the primary key for each key, whatever the table holds: the lateral sub-select with its `limit` cannot
// be turned into a join. As a join, a planner without statistics (a young table) believes that a tenant has one row and
// joins the batch to all of the tenant's payments. Measured for 256 keys on a table that grew to 15 000 rows without
// ANALYZE: 1 160 ms as a join, 0.8 ms like this.
const lookUp = (lock: string): string =>
  `select ${paymentColumns}
     from unnest($2::uuid[], $3::text[]) as k (tenant_id, reference)
     cross join lateral (
       select * from payment
        where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1 ${lock}) as p`

const findByKeys = statement('payments.find', lookUp(''))
const lockByKeys = statement('payments.lock', lookUp('for update'))

export async function findPayments(db: InLane, keys: PaymentKey[]): Promise<Payment[]> {
  return askByKeys(db, findByKeys, keys)
}

/** Nobody else can change these until the transaction ends. */
export async function lockPayments(tx: Tx, keys: PaymentKey[]): Promise<Payment[]> {
  return askByKeys(tx, lockByKeys, keys)
}

async function askByKeys(db: InLane, what: Statement, keys: PaymentKey[]): Promise<Payment[]> {
  const rows = await db.query<PaymentRow>(what, [
    db.lane,
    arrayOf(keys, (key) => key.tenantId),
    arrayOf(keys, (key) => key.reference),
  ])
  return rows.map(paymentOf)
}

export type Postponement = {
  tenantId: Uuid
  reference: string
  /** The end of the lease under which this is decided. */
  heldUntil: Date
  dueAt: Date | null
  asks: number
  submittedAt: Date | null
}

// Only by whoever still holds it. A payment that ended, or whose lease ended and was taken by somebody else, is due at
// another time or not at all: a late word about it must not undo what the new holder noted (that it may have left).
// It finds and locks by key first, for the sake of young tables: 256 rows on a table that grew to 60 000 without
// ANALYZE: 30 ms as a join, 4 ms like this.
const postponeRows = statement(
  'payments.postpone',
  `with v as materialized (
     select p.ctid as place, k.*
       from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::smallint[], $7::timestamptz[])
         as k (tenant_id, reference, held_until, due_at, asks, submitted_at)
       cross join lateral (
         select ctid, due_at, status from payment
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1 for update) as p
      where p.due_at = k.held_until and (k.due_at is not null or p.status not in ('queued', 'PENDING', 'OTP_REQUIRED')))
   update payment p set due_at = v.due_at, asks = v.asks, submitted_at = v.submitted_at
     from v where p.ctid = v.place`,
)

export function postponePayments(tx: Tx, rows: Postponement[]): void {
  tx.send(postponeRows, [
    tx.lane,
    arrayOf(rows, (row) => row.tenantId),
    arrayOf(rows, (row) => row.reference),
    arrayOf(rows, (row) => row.heldUntil),
    arrayOf(rows, (row) => row.dueAt),
    arrayOf(rows, (row) => row.asks),
    arrayOf(rows, (row) => row.submittedAt),
  ])
}

// `materialized`, or the sub-select runs again for every row of the update (see ARCHITECTURE.md, traps). The old
// `submitted_at` comes back: whether it had been claimed before decides between sending and asking. The rows are locked,
// so they are updated where they lie; one that moved just before it was locked is left to the next turn. 512 rows on a
// table that grew to 30 000 without ANALYZE: 2 600 ms as a join by key, 11 ms like this.
const claimDue = statement(
  'payments.claim',
  `with due as materialized (
     select ctid as place, tenant_id, submitted_at from payment
      where lane = $1 and due_at <= $2
      order by due_at limit $4
        for update skip locked)
   update payment p set due_at = $3, submitted_at = coalesce(p.submitted_at, $2)
     from due cross join lateral (
            select environment from tenant where lane = $1 and id = due.tenant_id limit 1) as t
    where p.ctid = due.place
   returning ${paymentColumns}, due.submitted_at as submitted_before, t.environment`,
)

/** `sentBefore`: it was in somebody's hands before this claim, so it may have left the building. */
export type Claimed = { payment: Payment; environment: Environment; sentBefore: boolean }

export async function claimPayments(db: InLane, now: Date, leaseEnd: Date, limit: number): Promise<Claimed[]> {
  const rows = await db.query<PaymentRow & { submitted_before: Date | null; environment: Environment }>(claimDue, [
    db.lane,
    now,
    leaseEnd,
    limit,
  ])
  return rows.map((row) => ({
    payment: paymentOf(row),
    environment: row.environment,
    sentBefore: row.submitted_before !== null,
  }))
}
