// The SQL of which events a payment calls for, and of those among them that are in files, as digests (ledger/digests.ts).

import { statement } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { archivedUntil, ofPayments } from '#events/archive.ts'
import type { TenantDigest } from '#ledger/digests.ts'
import { listMonthsApart, monthsApart } from '#ledger/archived-months.ts'
import { straysOf, type Strays } from '#ledger/archived.ts'
import { pageOf, scanPages, type ScanPage, type TableScan } from '#ledger/table-scan.ts'

const names = `case kind || ' ' || status
  when 'bank_transfer SUCCESS' then array['transfer.success']
  when 'bank_transfer FAILED' then array['transfer.failed']
  when 'bank_transfer REVERSED' then array['transfer.reversed', 'transfer.success']
  when 'momo_transfer SUCCESS' then array['momo.transfer.success']
  when 'momo_transfer FAILED' then array['momo.transfer.failed']
  when 'momo_transfer REVERSED' then array['momo.transfer.success']
  when 'momo_collection SUCCESS' then array['momo.collection.success']
  when 'momo_collection FAILED' then array['momo.collection.failed'] end`

/** The events that a payment's status calls for, in the order of their names. */
export const calledFor = {
  names,
  among: (some: string): string =>
    `(select array_agg(name order by name) from unnest(${names}) as name where name = any(${some}))`,
}

/** What was told of the payment `page`, but for what is in files. */
export const toldInTable = `
  select array_agg(name order by name) as names from event
   where lane = $1 and tenant_id = page.tenant_id and source_id = page.id and created_at >= ${archivedUntil}`

const missing = `
  select page.tenant_id, page.id as source_id, page.reference, wanted.name,
         case when wanted.name like '%.success' then coalesce(succeeded_at, updated_at) else updated_at end as at from page
   cross join lateral (${toldInTable}) as told
   cross join lateral unnest(${names}) as wanted (name)
   where page.created_at < ${archivedUntil} and (wanted.name = any(told.names)) is not true`

const missingOf = statement(
  'payments.verify_untold',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'id, kind, status, created_at, updated_at, succeeded_at',
    parts: `
      select tenant_id as "tenantId", false as "isLate", count(*) as count,
             sum(hashtextextended(${ofPayments.text}, 0)::numeric)::text as digest
        from (${missing}) as missing group by tenant_id`,
  }),
)

/** What payments call for and the table has not, so that it must be in files. */
export const missingDigests = (walk: TableScan): AsyncGenerator<ScanPage<TenantDigest>> =>
  scanPages<TenantDigest>(missingOf, '', walk)

const sealed = statement(
  'payments.verify_sealed_events',
  pageOf({
    table: 'event_archive_digest',
    key: 'until',
    columns: 'count, digest',
    parts: `
      select tenant_id as "tenantId", false as "isLate", sum(count)::bigint as count, sum(digest)::text as digest
        from page group by tenant_id`,
  }),
)

/** What the files have. */
export const sealedDigests = (walk: TableScan): AsyncGenerator<ScanPage<TenantDigest>> =>
  scanPages<TenantDigest>(sealed, '-infinity', walk)

const strays = statement(
  'payments.verify_stray_events',
  straysOf({ table: 'event', key: 'source_id', columns: 'id, created_at', seals: 'event_archive' }),
)

/** Events in the table of a month whose rows were all taken out. */
export const strayEvents = (walk: TableScan, first: Uuid): AsyncGenerator<ScanPage<Strays>> =>
  scanPages(strays, first, walk)

const eventMonthsApart = statement(
  'payments.verify_untold_months',
  monthsApart({
    wanted: `with page as (select * from payment where lane = $1 and tenant_id = $2) ${missing}`,
    text: ofPayments.text,
    sealed: 'select until, count, digest from event_archive_digest where lane = $1 and tenant_id = $2',
  }),
)

/** The months whose files do not have what payments call for. Joins a tenant as a whole: it runs only where something is wrong. */
export const findEventMonths = (walk: TableScan, tenantId: Uuid): Promise<string[]> =>
  listMonthsApart(eventMonthsApart, walk, tenantId)
