// What the books know of months whose movements are in files (docs/adr/0032-months-in-files.md). A month is sealed before
// its rows leave the table: from then on the seal speaks for all that is dated before the month's end, whether or not its
// rows are still there, and the table for the rest.

import type { Kobo } from '#platform/money.ts'
import { archivedUntilIn } from '#platform/db/months.ts'
import type { TimeRange } from '#platform/db/numbered-list.ts'
import type { Uuid } from '#platform/ids.ts'
import { pageOf } from './table-scan.ts'

/** Up to which moment the movements of a lane are in files, as SQL: the table is asked for what is dated since. */
export const archivedUntil = archivedUntilIn('ledger_archive')

export type Strays = { tenantId: Uuid; count: bigint; ids: Uuid[] }

/** The SQL of a page of rows that are dated in a month whose rows were all taken out. */
export const straysOf = ({
  table,
  key,
  columns,
  seals,
}: Record<'table' | 'key' | 'columns' | 'seals', string>): string =>
  pageOf({
    table,
    key,
    columns,
    parts: `
      select tenant_id as "tenantId", count(*) as count, (array_agg(id::text order by id))[1:100] as ids
        from page
       where created_at < (select coalesce(max(until), '-infinity') from ${seals} where lane = $1 and removed_at is not null)
       group by tenant_id`,
  })

/** The entries of one currency that are in files: all up to this number, dated before `until`, which left this balance. */
export type ArchivedEntries = { through: bigint; balance: Kobo; until: Date }

/** What was asked for is not in the table; the field of the question that leads there. */
export type InArchive = { kind: 'archived'; until: Date; field: 'page' | 'from' | 'to' }

/** A range of time that begins or ends among entries which are in files. Without a beginning, it begins with them. */
export function archivedEnd(archived: ArchivedEntries | undefined, { from, before }: TimeRange): InArchive | undefined {
  if (archived === undefined) return undefined
  const { until } = archived
  if (from !== undefined && from < until) return { kind: 'archived', until, field: 'from' }
  if (before !== undefined && before < until) return { kind: 'archived', until, field: 'to' }
  return undefined
}
