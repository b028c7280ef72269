// The statement of a balance: every movement of `available`, the latest first, each with what was there after it.
// Entries are numbered densely and their times follow the numbers, so a page is a range of numbers at any depth. Those of
// a month that is in a file count, and are not shown: whoever asks for them is told so.

import type { Context, Tenant } from '#base/context.ts'
import type { Queryable } from '#base/db.ts'
import { negate, type Currency } from '#base/money.ts'
import { lengthOf, rangeOfSlice, sliceOf, type PageQuestion, type Range, type TimeRange } from '#base/ordinal.ts'
import { archivedEnd, type ArchivedEntries, type InArchive } from './archived.ts'
import { entryList, type EntryRow } from './sql-entries.ts'
import { findArchivedEntries } from './sql-seals.ts'

/** `amount` is negative when money left. */
export type Entry = Omit<EntryRow, 'credit'>

export type EntryPage = { kind: 'page'; entries: Entry[]; total: number } | InArchive

export async function listEntries(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  question: PageQuestion & TimeRange,
): Promise<EntryPage> {
  const found = await entriesIn(db, tenant, currency, question)
  if (found.kind === 'archived') return found
  const slice = rangeOfSlice(found.range, sliceOf(question))
  const rows = await entryList.read(db, tenant, slice, currency)
  if (rows.length < lengthOf(slice)) {
    // A month may have been sealed since this was begun.
    const archived = await findArchivedEntries(db, tenant, currency)
    if (archived !== undefined && slice.low < archived.through)
      return { kind: 'archived', until: archived.until, field: 'page' }
  }
  return { kind: 'page', entries: rows.map(entryOf), total: lengthOf(found.range) }
}

type EntriesIn = { kind: 'range'; range: Range; archived: ArchivedEntries | undefined } | InArchive

/** The numbers of a range of time; without a beginning, also those in files. */
export async function entriesIn(
  db: Queryable,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): Promise<EntriesIn> {
  const archived = await findArchivedEntries(db, tenant, currency)
  const refusal = archivedEnd(archived, time)
  if (refusal !== undefined) return refusal
  return { kind: 'range', range: await entryList.rangeOf(db, tenant, time, currency, archived?.through), archived }
}

/** The same, where all of them are in the table. */
export async function wholeEntriesIn(
  db: Queryable,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): Promise<EntriesIn> {
  const found = await entriesIn(db, tenant, currency, time)
  if (found.kind === 'archived' || found.archived === undefined) return found
  const { through, until } = found.archived
  return found.range.low < through ? { kind: 'archived', until, field: 'from' } : found
}

function entryOf({ credit, amount, ...entry }: EntryRow): Entry {
  return { ...entry, amount: credit === 'available' ? amount : negate(amount) }
}
