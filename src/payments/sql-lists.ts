// The SQL behind lists. Each kind's payments of a tenant are numbered densely, and their times follow the numbers
// (accept.ts), so a page, a total and a range of time are ranges of numbers: they cost the same at any depth.

import { statement, type Queryable } from '#base/db.ts'
import type { Tenant } from '#base/context.ts'
import type { Payment, PaymentKind, PaymentStatus } from './payment.ts'
import { paymentColumns, paymentOf, type PaymentRow } from './sql.ts'

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

// Binary search: how many of the first $5 were made before $4. Some 24 look-ups in the index at ten million rows.
const countBeforeTime = statement(
  'payments.count_before',
  `with recursive search (low, high) as (
     select 0::bigint, $5::bigint
     union all
     select case when p.created_at < $4 then middle.ordinal else s.low end,
            case when p.created_at < $4 then s.high else middle.ordinal - 1 end
       from search s
       cross join lateral (select (s.low + s.high + 1) / 2 as ordinal) as middle
       join payment p on p.lane = $1 and p.tenant_id = $2 and p.kind = $3 and p.ordinal = middle.ordinal and p.ordinal > 0
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

// One status within a range. FAILED and REVERSED are in a partial index of their own. SUCCESS is most of the table:
// going down the numbers finds a page of it at once, and a deep page costs its depth.
const pageOfStatus = statement(
  'payments.page_of_status',
  `select ${paymentColumns} from payment p
    where p.lane = $1 and p.tenant_id = $2 and p.kind = $3 and p.status = $4 and p.ordinal > 0 and p.ordinal > $5 and p.ordinal <= $6
    order by p.ordinal desc offset $7 limit $8`,
)

export async function readPageOfStatus(
  db: Queryable,
  tenant: Tenant,
  kind: PaymentKind,
  status: PaymentStatus,
  range: Range,
  place: { offset: number; limit: number },
): Promise<Payment[]> {
  const values = [tenant.lane, tenant.id, kind, status, range.low, range.high, place.offset, place.limit]
  const rows = await db.query<PaymentRow>(pageOfStatus, values)
  return rows.map(paymentOf)
}

const countEnded = statement(
  'payments.count_ended_badly',
  `select status, count(*) as count from payment
    where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > $4 and ordinal <= $5
      and status in ('FAILED', 'REVERSED')
    group by status`,
)

// Unfinished payments are all due, so the index of due rows counts them: it costs the backlog, not the table.
const countQueued = statement(
  'payments.count_queued',
  `select 'queued' as status, count(*) as count from payment
    where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > $4 and ordinal <= $5
      and status = 'queued' and due_at is not null`,
)

/** How many of each status lie in a range; SUCCESS is what the others leave. */
export async function countByStatus(
  db: Queryable,
  tenant: Tenant,
  kind: PaymentKind,
  range: Range,
): Promise<Record<PaymentStatus, bigint>> {
  const values = [tenant.lane, tenant.id, kind, range.low, range.high]
  const answers = await Promise.all([
    db.query<{ status: PaymentStatus; count: bigint }>(countEnded, values),
    db.query<{ status: PaymentStatus; count: bigint }>(countQueued, values),
  ])
  const counts = { queued: 0n, SUCCESS: range.high - range.low, FAILED: 0n, REVERSED: 0n }
  for (const { status, count } of answers.flat()) {
    counts[status] = count
    counts.SUCCESS -= count
  }
  return counts
}
