// The SQL of the limits of payouts. Their rows are read and written under their tenant's lock alone, so none is locked by
// itself.

import type { Tenant } from '#base/context.ts'
import { arraysOf, statement, type InLane, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { zero, type Kobo } from '#base/money.ts'
import { paymentList } from './sql-lists.ts'

/** `day`: as `2026-11-22`. */
export type LimitRow = {
  tenantId: Uuid
  perPayment: Kobo | null
  perDay: Kobo | null
  day: string
  dayAmount: Kobo
}

const selectLimits = statement(
  'payments.limits',
  `select tenant_id as "tenantId", per_payment as "perPayment", per_day as "perDay", day::text, day_amount as "dayAmount"
     from payout_limit where lane = $1 and tenant_id = any($2::uuid[])`,
)

export function readLimits(lane: InLane, tenantIds: Uuid[]): Promise<LimitRow[]> {
  return lane.query<LimitRow>(selectLimits, [lane.lane, tenantIds])
}

// By their places, which nobody else changes under that lock (see sql-change.ts).
const updateDays = statement(
  'payments.limit_days',
  `with v as materialized (
     select l.row_place, k.day, k.day_amount
       from unnest($2::uuid[], $3::date[], $4::bigint[]) as k (tenant_id, day, day_amount)
       cross join lateral (
         select ctid as row_place from payout_limit where lane = $1 and tenant_id = k.tenant_id limit 1) as l)
   update payout_limit l set day = v.day, day_amount = v.day_amount
     from v where l.lane is not distinct from $1 and l.ctid = v.row_place`,
)

export function writeDays(tx: Tx, rows: LimitRow[]): void {
  tx.send(updateDays, [tx.lane, ...arraysOf(rows, 'tenantId', 'day', 'dayAmount')])
}

const putLimit = statement(
  'payments.put_limit',
  `insert into payout_limit (lane, tenant_id, per_payment, per_day, day, day_amount) values ($1, $2, $3, $4, $5, $6)
   on conflict (lane, tenant_id) do update
     set per_payment = excluded.per_payment, per_day = excluded.per_day, day = excluded.day,
         day_amount = excluded.day_amount`,
)

export function writeLimit(tx: Tx, { tenantId, perPayment, perDay, day, dayAmount }: LimitRow): void {
  tx.send(putLimit, [tx.lane, tenantId, perPayment, perDay, day, dayAmount])
}

// Those of a kind after a number: an index range, as long as what was paid out since then. More than any limit is enough.
const sumAfter = statement(
  'payments.paid_out_after',
  `select least(coalesce(sum(amount), 0), 2::numeric ^ 61)::bigint as amount from payment
    where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > $4 and status <> 'FAILED'`,
)

/** What has been accepted since then and has not failed, in all kinds of payouts. */
export async function sumPayoutsSince(db: Queryable, tenant: Tenant, since: Date, kinds: string[]): Promise<Kobo> {
  let sum: bigint = zero
  for (const kind of kinds) {
    const { low } = await paymentList.rangeOf(db, tenant, { from: since }, kind)
    const [row] = await db.query<{ amount: bigint }>(sumAfter, [tenant.lane, tenant.id, kind, low])
    sum += row?.amount ?? 0n
  }
  return sum as Kobo
}
