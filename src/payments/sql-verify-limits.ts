// The SQL that proves what a limited day has counted.

import type { Tenant } from '#base/context.ts'
import { arrayOf, statement, type InLane } from '#base/db.ts'
import type { Walk } from '#ledger/walk.ts'

/** A tenant whose payouts of a day are limited, and the day that is counted. */
export type LimitedTenant = Tenant & { day: string }

const limitedTenants = statement(
  'payments.verify_limited',
  `select l.lane::int, l.tenant_id as id, t.environment, l.day::text
     from payout_limit l cross join lateral (
       select environment from tenant where lane = l.lane and id = l.tenant_id limit 1) as t
    where l.lane = $1 and l.tenant_id >= $2 and l.tenant_id <= $3 and l.per_day is not null
    order by l.tenant_id limit $4`,
)

/** The first ones of the walk. */
export function findLimited({ lane, from, upTo, rowsPerPage }: Walk): Promise<LimitedTenant[]> {
  return lane.query<LimitedTenant>(limitedTenants, [lane.lane, from, upTo, rowsPerPage])
}

/** Both as text: what was tampered with may not fit a bigint any more. */
export type DayTotals = { counted: string; accepted: string }

// One statement, so that the total and the payments are seen at one moment. An index range as long as what was paid out on
// the day. While another day is being counted already, there is nothing to compare.
const dayTotals = statement(
  'payments.verify_day',
  `select l.day_amount::text as counted,
          (select coalesce(sum(p.amount), 0)
             from unnest($4::text[], $5::bigint[]) as k (kind, after) cross join lateral (
               select amount from payment
                where lane = $1 and tenant_id = $2 and kind = k.kind and ordinal > k.after and status <> 'FAILED'
             ) as p)::text as accepted
     from payout_limit l
    where l.lane = $1 and l.tenant_id = $2 and l.per_day is not null and l.day = $3::date`,
)

/** `after`: the number of the last payout before the day, for each kind. */
export async function totalsOfDay(
  db: InLane,
  { id, day }: LimitedTenant,
  after: { kind: string; ordinal: bigint }[],
): Promise<DayTotals | undefined> {
  const kinds = arrayOf(after, ({ kind }) => kind)
  const ordinals = arrayOf(after, ({ ordinal }) => ordinal)
  const [row] = await db.query<DayTotals>(dayTotals, [db.lane, id, day, kinds, ordinals])
  return row
}
