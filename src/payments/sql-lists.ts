// The SQL behind lists. Each kind's payments of a tenant are numbered densely, and their times follow the numbers
// (accept.ts), so a page, a total and a range of time are ranges of numbers: they cost the same at any depth.

import { statement, type Queryable } from '#base/db.ts'
import type { Tenant } from '#base/context.ts'
import type { Payment, PaymentKind } from './payment.ts'
import { paymentColumns, paymentOf, type PaymentRow } from './sql-rows.ts'

/** The numbers above `low` up to `high`. */
export type Range = { low: bigint; high: bigint }

const lastOrdinalOf = statement(
  'payments.last_ordinal',
  `select ordinal from payment where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > 0 order by ordinal desc limit 1`,
)

export async function lastOrdinal(db: Queryable, tenant: Tenant, kind: PaymentKind): Promise<bigint> {
  const [row] = await db.query<{ ordinal: bigint }>(lastOrdinalOf, [tenant.lane, tenant.id, kind])
  return row?.ordinal ?? 0n
}

// Binary search: how many of the first $5 were made before $4. Some 24 look-ups in the index at ten million rows. Each
// asks for the last one up to the middle, which is the middle: the order makes a planner without statistics use the index
// of ordinals. As a join by equality it read all payments of the tenant for each step: on 1 000 000 payments that took
// 12 s, like this it takes 0.2 ms.
const countBeforeTime = statement(
  'payments.count_before',
  `with recursive search (low, high) as (
     select 0::bigint, $5::bigint
     union all
     select case when p.created_at < $4 then middle.ordinal else s.low end,
            case when p.created_at < $4 then s.high else middle.ordinal - 1 end
       from search s
       cross join lateral (select (s.low + s.high + 1) / 2 as ordinal) as middle
       cross join lateral (
         select created_at from payment
          where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > 0 and ordinal <= middle.ordinal
          order by ordinal desc limit 1) as p
      where s.low < s.high)
   select low from search where low = high`,
)

export async function countBefore(
  db: Queryable,
  tenant: Tenant,
  kind: PaymentKind,
  time: Date,
  total: bigint,
): Promise<bigint> {
  const [row] = await db.query<{ low: bigint }>(countBeforeTime, [tenant.lane, tenant.id, kind, time, total])
  return row?.low ?? 0n
}

// A range of an index: 0.02 ms for 20 rows, on the first page and on the last one of 1 000 000.
const pageOf = statement(
  'payments.page',
  `select ${paymentColumns} from payment p
    where p.lane = $1 and p.tenant_id = $2 and p.kind = $3 and p.ordinal > 0 and p.ordinal > $4 and p.ordinal <= $5
    order by p.ordinal desc`,
)

export async function readPage(db: Queryable, tenant: Tenant, kind: PaymentKind, range: Range): Promise<Payment[]> {
  const rows = await db.query<PaymentRow>(pageOf, [tenant.lane, tenant.id, kind, range.low, range.high])
  return rows.map(paymentOf)
}
