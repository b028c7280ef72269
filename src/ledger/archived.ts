// What the books know of months whose movements are in files (docs/adr/0032-months-in-files.md). A month is sealed before
// its rows leave the table: from then on the seal speaks for all that is dated before the month's end, whether or not its
// rows are still there, and the table for the rest.

import type { Kobo } from '#base/money.ts'
import type { TimeRange } from '#base/ordinal.ts'

/** Up to which moment the movements of a lane are in files, as SQL: the table is asked for what is dated since. */
export const archivedUntil = `(select coalesce(max(until), '-infinity') from ledger_archive where lane = $1)`

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
