// The SQL that proves the events of payments and the numbers of their lists.

import { statement } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import { archivedUntil } from '#events/archive.ts'
import {
  numberedPageOf,
  numberedPages,
  pageOf,
  pages,
  wrongOf,
  type Broken,
  type Page,
  type Walk,
} from '#ledger/walk.ts'
import type { PaymentKind, PaymentStatus } from './payment.ts'
import { calledFor, toldInTable } from './sql-verify-told.ts'

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
export const eventPages = (walk: Walk): AsyncGenerator<Page<WrongPayments>> => pages(eventsOfPayments, '', walk)

/** Events of payments, by their own id, whose payment does not exist. What was made up as a sample is about none. */
export const orphanPages = (walk: Walk): AsyncGenerator<Page<Wrong>> => pages(eventsOfNothing, firstUuid, walk)

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
export const ordinalPages = (walk: Walk): AsyncGenerator<Page<Broken<PaymentKind>>> => numberedPages(ordinalsOf, walk)
