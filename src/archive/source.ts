// The interface between the steps of archiving and the two kinds of archived rows.

import type { InLane, Tx } from '#platform/db/db.ts'
import type { MonthlyRows, SealHead } from '#platform/db/months.ts'

export type ArchiveSourceName = 'movements' | 'events'

/** The totals of a file, computed from its lines alone. */
export type ArchiveTotals = {
  /** Throws a message for the operator if the row is out of order or not of this month. */
  add(line: string): void
  rows(): bigint
  summary(): unknown[]
}

/** Reads a file, to seal it or to compare it with its seal. */
export type ArchiveReading = {
  tally: ArchiveTotals
  compare(lines: string[]): Promise<void>
  /** The reason why this month cannot be sealed, as a sentence without a period. */
  fault(): Promise<string | undefined>
  /** Returns false if the month was already sealed. */
  seal(tx: Tx, head: SealHead): Promise<boolean>
  isSealed(until: Date): Promise<boolean>
}

export type ArchiveSource = MonthlyRows & {
  name: ArchiveSourceName
  /** The reason why a past month may not be archived yet, as a sentence. */
  notYet(lane: InLane, month: Month): Promise<string | undefined>
  createTally(month: Month): ArchiveTotals
  createReading(lane: InLane, month: Month): ArchiveReading
}

// Calendar months in UTC, the unit of archiving.

export type Month = { name: string; since: Date; until: Date }

export function monthOf(time: Date): Month {
  return monthAt(time.getUTCFullYear(), time.getUTCMonth())
}

/** A year and a month, so that the table always has the last twelve months. */
export const monthsKeptUsual = 13

export function archivableUntil(now: Date, monthsKept: number): Date {
  return monthAt(now.getUTCFullYear(), now.getUTCMonth() - monthsKept).since
}

function monthAt(year: number, month: number): Month {
  const since = new Date(Date.UTC(year, month, 1))
  return { name: since.toISOString().slice(0, 7), since, until: new Date(Date.UTC(year, month + 1, 1)) }
}
