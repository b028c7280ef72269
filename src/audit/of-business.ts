// The audit log as the people of one business see it: a page of it, or all of it one after the other.

import type { Context } from '#base/context.ts'
import { hourMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import { findNumberBefore, type EntryRow } from './sql.ts'
import { countEntriesOfBusiness, listEntriesOfBusiness, type Owner, type Search } from './sql-business.ts'

export type { EntryRow } from './sql.ts'
export type { Owner } from './sql-business.ts'

export type AuditFilter = {
  from?: Date | undefined
  /** Excluded. */
  to?: Date | undefined
  person?: Uuid | undefined
  act?: string | undefined
  outcome?: string | undefined
  /** The whole of what it was done to, or of the id of the request. */
  target?: string | undefined
}

/** A filter has no index of its own: it is looked for among so many of the latest entries of its range of time. */
export const entriesSearchedMax = 20_000
/** Two entries stand in the other order than their times by no more than a transaction takes. */
const outOfOrderMsMax = hourMs
const pieceRows = 500
const beginning = new Date(0)
const end = new Date(8_640_000_000_000_000)
const lastNumber = 2n ** 63n - 1n

export async function listAuditOfBusiness(
  { db }: Context,
  owner: Owner,
  filter: AuditFilter,
  slice: { limit: number; offset: number },
): Promise<{ entries: EntryRow[]; total: number }> {
  const search = await searchOf(db, filter, entriesSearchedMax)
  const total = await countEntriesOfBusiness(db, owner, search)
  const entries = slice.offset < total ? await listEntriesOfBusiness(db, owner, search, slice) : []
  return { entries, total }
}

/** The latest first. Filtered here and not there, so that no statement takes long however rare what is looked for is. */
export async function* eachAuditOfBusiness(
  { db }: Context,
  owner: Owner,
  filter: AuditFilter,
): AsyncGenerator<EntryRow> {
  let search = await searchOf(db, { from: filter.from, to: filter.to }, pieceRows)
  for (;;) {
    const piece = await listEntriesOfBusiness(
      db,
      owner,
      { ...search, from: beginning, to: end },
      { limit: pieceRows, offset: 0 },
    )
    for (const entry of piece) if (fits(entry, filter)) yield entry
    const last = piece.at(-1)
    if (last === undefined || piece.length < pieceRows) return
    search = { ...search, before: last.number }
  }
}

async function searchOf(db: Context['db'], filter: AuditFilter, windowRows: number): Promise<Search> {
  const { from = beginning, to = end, person = null, act = null, outcome = null, target = null } = filter
  const numberAt = (time: Date | undefined, otherwise: bigint): Promise<bigint> =>
    time === undefined ? Promise.resolve(otherwise) : findNumberBefore(db, time)
  const after = await numberAt(filter.from && new Date(from.getTime() - outOfOrderMsMax), 0n)
  const before = await numberAt(filter.to && new Date(to.getTime() + outOfOrderMsMax), lastNumber - 1n)
  return { after, before: before + 1n, windowRows, from, to, person, act, outcome, target }
}

function fits(entry: EntryRow, { from = beginning, to = end, person, act, outcome, target }: AuditFilter): boolean {
  return (
    entry.at >= from &&
    entry.at < to &&
    (person === undefined || entry.personId === person) &&
    (act === undefined || entry.act === act) &&
    (outcome === undefined || (entry.outcome ?? 'done') === outcome) &&
    (target === undefined || entry.subject === target || entry.requestId === target)
  )
}
