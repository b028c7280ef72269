// The interface between the archiving steps and what they archive: movements and events.

import type { InLane, Tx } from '#platform/db/db.ts'
import type { MonthlyRows, SealHead } from '#platform/db/months.ts'
import type { Month } from './month.ts'

export type ArchiveSourceName = 'movements' | 'events'

/** Totals of a file, computed from its lines alone. */
export type ArchiveTotals = {
  /** Throws a message for the operator if the row does not belong in this place. */
  add(line: string): void
  rows(): bigint
  /** Written to the last line of the file. */
  summary(): unknown[]
}

/** A file that is being read to seal it or to compare it with its seal. */
export type ArchiveReading = {
  tally: ArchiveTotals
  /** Gets each row after `tally`. */
  compare(lines: string[]): Promise<void>
  /** The reason why this month cannot be sealed, as a sentence without a period. */
  fault(): Promise<string | undefined>
  /** Returns false if the month was already sealed. */
  seal(tx: Tx, head: SealHead): Promise<boolean>
  /** Returns true if the seal matches the totals of the file. */
  isSealed(until: Date): Promise<boolean>
}

export type ArchiveSource = MonthlyRows & {
  name: ArchiveSourceName
  /** The reason why a past month may not be archived yet, as a sentence. */
  notYet(lane: InLane, month: Month): Promise<string | undefined>
  createTally(month: Month): ArchiveTotals
  createReading(lane: InLane, month: Month): ArchiveReading
}
