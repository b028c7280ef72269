// The SQL that proves what a limited day has counted.

import { archivedUntil } from '#events/archive.ts'
import {
  type TableScan,
  numberedPageOf,
  numberedPages,
  pageOf,
  scanPages,
  wrongOf,
  type Broken,
  type ScanPage,
} from '#ledger/table-scan.ts'
import type { Tenant } from '#platform/context.ts'
import { arrayOf, statement, type InLane } from '#platform/db/db.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import type { PaymentKind, PaymentStatus } from './payment.ts'
import { calledFor, toldInTable } from './verify-events-queries.ts'

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
export function findLimited({ lane, from, upTo, rowsPerPage }: TableScan): Promise<LimitedTenant[]> {
  return lane.query<LimitedTenant>(limitedTenants, [lane.lane, from, upTo, rowsPerPage])
}

/** Both as text: what was tampered with may not fit a bigint any more. */
type DayTotals = { counted: string; accepted: string }

// One statement, so that the total and the payments are seen at one moment. An index range as long as what was paid out on
// the day. While another day is being counted already, there is nothing to compare.
const dayTotals = statement(
  'payments.verify_day',
  `select l.day_amount::text as counted,
          (select coalesce(sum(p.amount), 0)
             from unnest($4::text[], $5::bigint[]) as k (kind, after) cross join lateral (
               select amount from payment
                where lane = $1 and tenant_id = $2 and kind = k.kind and ordinal > k.after and status <> 'FAILED' and currency = 'NGN'
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

// The SQL that proves the events of payments and the numbers of their lists.

// Events that are in files are held against payments as a whole (sql-verify-told.ts). So of a payment that is older than the last
// of those, any may be missing here.
const eventsOfPayments = statement(
  'payments.verify_events',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'id, kind, status, created_at',
    parts: wrongOf(
      `(select page.*, case when created_at < ${archivedUntil} then told.names is distinct from ${calledFor.among('told.names')}
                  else told.names is distinct from ${calledFor.names} end as is_wrong
          from page
         cross join lateral (${toldInTable}) as told) as judged`,
      ['kind', 'status'],
    ),
  }),
)

const eventsOfNothing = statement(
  'payments.verify_event_sources',
  pageOf({
    table: 'event',
    key: 'source_id',
    columns: 'name, id, reference, sample',
    parts: wrongOf(
      `(select page.tenant_id, page.id, not exists (
                select from payment p
                 where p.lane = $1 and p.tenant_id = page.tenant_id and p.reference = page.reference and p.id = page.source_id)
               as is_wrong
          from page where (name like 'transfer.%' or name like 'momo.%') and not sample) as judged`,
    ),
  }),
)

type Wrong = { tenantId: Uuid; count: bigint; ids: Uuid[] }
type WrongPayments = Wrong & { kind: PaymentKind; status: PaymentStatus }

/** Payments that have other events than their status calls for. */
export const eventPages = (walk: TableScan): AsyncGenerator<ScanPage<WrongPayments>> =>
  scanPages(eventsOfPayments, '', walk)

/** Events of payments, by their own id, whose payment does not exist. What was made up as a sample is about none. */
export const orphanPages = (walk: TableScan): AsyncGenerator<ScanPage<Wrong>> =>
  scanPages(eventsOfNothing, firstUuid, walk)

const ordinalsOf = statement(
  'payments.verify_ordinals',
  numberedPageOf({
    table: 'payment',
    list: 'kind',
    number: 'ordinal',
    isNumbered: 'ordinal > 0',
    columns: 'created_at',
    isWrong: 'coalesce(created_at < lag(created_at) over list, false)',
  }),
)

/** Payments whose number or time does not follow from the one before. */
export const ordinalPages = (walk: TableScan): AsyncGenerator<ScanPage<Broken<PaymentKind>>> =>
  numberedPages(ordinalsOf, walk)
