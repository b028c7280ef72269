// The SQL of payments that leave a rail for another.

import { arraysOf, statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { LeavingReason, Payment } from './payment.ts'

/** `attempt`: the number of the rail that it left. */
export type RailLeft = { attempt: number; rail: string; why: LeavingReason; leftAt: Date }

const ofPayment = statement(
  'payments.rails_left',
  `select attempt, rail, why, left_at as "leftAt" from rail_attempt
    where lane = $1 and tenant_id = $2 and payment_id = $3 order by attempt`,
)

/** The oldest first. There are at most as many as there are rails. */
export function readRailsLeft(db: Queryable, { lane, tenantId, id }: Payment): Promise<RailLeft[]> {
  return db.query<RailLeft>(ofPayment, [lane, tenantId, id])
}

export type ChangedRail = {
  tenantId: Uuid
  reference: string
  paymentId: Uuid
  from: string
  to: string
  attempt: number
  why: LeavingReason
  at: Date
  dueAt: Date
  railReference: string | null
}

const keep = statement(
  'payments.keep_attempts',
  `insert into rail_attempt (lane, tenant_id, payment_id, rail, attempt, why, left_at)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::smallint[], $6::text[], $7::timestamptz[]) as v`,
)

// The rows are locked (sql-change.ts). It is due as what was never sent anywhere.
const change = statement(
  'payments.change_rail',
  `with v as materialized (
     select p.row_place, k.*
       from unnest($2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::timestamptz[], $7::uuid[])
         as k (tenant_id, reference, rail, attempts, due_at, rail_reference)
       cross join lateral (
         select ctid as row_place from payment
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1) as p)
   update payment p
      set rail = v.rail, attempts = v.attempts, due_at = v.due_at, submitted_at = null, asks = 0, rail_word = null,
          parked_at = null, submission_answer = null, rail_reference = coalesce(p.rail_reference, v.rail_reference)
     from v where p.lane is not distinct from $1 and p.ctid = v.row_place`,
)

export function changeRails(tx: Tx, rows: ChangedRail[]): void {
  if (rows.length === 0) return
  tx.send(keep, [tx.lane, ...arraysOf(rows, 'tenantId', 'paymentId', 'from', 'attempt', 'why', 'at')])
  const after = rows.map((row) => ({ ...row, attempts: row.attempt + 1 }))
  tx.send(change, [tx.lane, ...arraysOf(after, 'tenantId', 'reference', 'to', 'attempts', 'dueAt', 'railReference')])
}
