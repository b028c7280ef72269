// The SQL that proves payments against movements (how: ledger/digests.ts).
//
// Measured on 1 100 000 payments with 3 300 000 movements: 28 s for all of it, 107 MB of memory from beginning to end.

import { statement } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { archivedUntil as eventsArchivedUntil } from '#events/archive.ts'
import { listMonthsApart, monthsApart } from '#ledger/archived-months.ts'
import { archivedUntil } from '#ledger/archived.ts'
import { causes } from '#ledger/causes.ts'
import { digests, type Side } from '#ledger/digests.ts'
import { movedFor } from '#ledger/moved.ts'
import { pageOf, pages, type Walk } from '#ledger/walk.ts'
import type { PaymentKind, PaymentStatus } from './payment.ts'

const { where, text } = causes.payments

/** The kinds that pay out: acceptance holds their money. */
const outgoing = `kind in ('bank_transfer', 'momo_transfer')`

// What a payment's status calls for, and since when: the accounting of ledger/posting.ts, written down a second time on
// purpose. A payment's last change is dated; one that was reversed has succeeded before, at a time that its caller knows.
const wantedMovements = (payments: string): string =>
  `select p.tenant_id, p.id as source_id, p.reference, p.currency, p.kind as payment_kind, p.status,
          m.kind, m.debit, m.credit, m.amount, m.at
     from ${payments} p cross join lateral (values
       ('hold', 'available', 'reserved', p.amount + p.fee, p.created_at, true),
       ('payout', 'reserved', 'rail', p.amount, p.paid_out_at, p.status in ('SUCCESS', 'REVERSED')),
       ('payout_fee', 'reserved', 'fees', p.fee, p.paid_out_at, p.status in ('SUCCESS', 'REVERSED')),
       ('release', 'reserved', 'available', p.amount + p.fee, p.updated_at, p.status = 'FAILED'),
       ('reversal', 'rail', 'available', p.amount, p.updated_at, p.status = 'REVERSED'),
       ('fee_refund', 'fees', 'available', p.fee, p.updated_at, p.status = 'REVERSED'))
       as m (kind, debit, credit, amount, at, is_called_for)
    where m.is_called_for and m.amount > 0`

// When a payment succeeded that was reversed only lately, it says, or its event when it is of before version 64 of the tables; there
// are few of them. An event that is in a file is long settled.
const succeededAt = `
  case when status = 'REVERSED' and updated_at >= $6::timestamptz then
    (select coalesce(page.succeeded_at, min(event.created_at),
                     case when page.created_at < ${eventsArchivedUntil} then page.created_at else page.updated_at end) from event
      where lane = $1 and tenant_id = page.tenant_id and source_id = page.id and name like '%.success')
  else updated_at end as paid_out_at`

const wantedPage = statement(
  'payments.verify_wanted',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'id, kind, status, amount, fee, currency, created_at, updated_at, succeeded_at',
    parts: digests(`(${wantedMovements(`(select *, ${succeededAt} from page where ${outgoing})`)}) as wanted`, text),
  }),
)

/** What payments moved. */
const moved: Side = movedFor('payments')

/** What they should have. */
const toBeMoved: Side = (walk, until) => pages(wantedPage, '', walk, until)

// Joins a tenant as a whole: 9 s for 1 000 000 payments. It runs only where something is wrong. Of what is in files nothing can
// be joined, so it is left out on both sides.
const culpritsOf = statement(
  'payments.verify_culprits',
  `with found as (
     select source_id, array_agg(${text} order by kind, amount) as movements from ledger_movement
      where lane = $1 and tenant_id = $2 and ${where} and created_at >= ${archivedUntil} group by source_id),
   wanted as (
     select source_id, payment_kind, status, array_agg(${text} order by kind, amount) as movements
       from (${wantedMovements(`(
             select *, coalesce(succeeded_at, updated_at) as paid_out_at from payment
              where lane = $1 and tenant_id = $2 and ${outgoing})`)}) as rows
      where at >= ${archivedUntil} group by source_id, payment_kind, status)
   select coalesce(wanted.source_id, found.source_id) as id, payment_kind as kind, status, count(*) over () as total
     from wanted full join found on found.source_id = wanted.source_id
    where wanted.movements is distinct from found.movements
    order by 1 limit $3`,
)

export type Culprit = { id: Uuid; kind: PaymentKind | null; status: PaymentStatus | null; total: bigint }

function findCulprits({ lane }: Walk, tenantId: Uuid, limit: number): Promise<Culprit[]> {
  return lane.query<Culprit>(culpritsOf, [lane.lane, tenantId, limit])
}

const apart = statement(
  'payments.verify_months',
  monthsApart({
    wanted: `select * from (${wantedMovements(`(
        select *, coalesce(succeeded_at, updated_at) as paid_out_at from payment
         where lane = $1 and tenant_id = $2 and ${outgoing})`)}) as rows where at < ${archivedUntil}`,
    text,
    sealed: `select until, count, digest from ledger_archive_digest where lane = $1 and tenant_id = $2 and cause = 'payments'`,
  }),
)

const findMonths = (walk: Walk, tenantId: Uuid): Promise<string[]> => listMonthsApart(apart, walk, tenantId)

export const sides = { found: moved, wanted: toBeMoved, findCulprits, findMonths }
