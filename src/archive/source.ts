// What is archived, as the steps of archiving see it: movements and events are carried by the same steps, and each says here
// what is its own.

import type { InLane, Tx } from '#platform/db/db.ts'
import type { MonthlyRows, SealHead } from '#platform/db/months.ts'
import type { Month } from './month.ts'

export type NounName = 'movements' | 'events'

/** What the rows of a file come to, counted from its lines alone. */
export type Tally = {
  /** Throws a sentence when the row does not belong where it stands. */
  add(line: string): void
  rows(): bigint
  /** For the last line of the file. */
  summary(): unknown[]
}

/** A file while it is read whole, to be sealed or held against its seal. */
export type Reading = {
  tally: Tally
  /** Hears of each row behind the tally. */
  compare(lines: string[]): Promise<void>
  /** Why this month cannot be sealed, as a sentence without its end. */
  fault(): Promise<string | undefined>
  /** Says whether it was not sealed already. */
  seal(tx: Tx, head: SealHead): Promise<boolean>
  /** Whether the seal says what the file comes to. */
  isSealed(until: Date): Promise<boolean>
}

export type Noun = MonthlyRows & {
  name: NounName
  /** What has to happen before a month that is over may leave the table, as a sentence. */
  notYet(lane: InLane, month: Month): Promise<string | undefined>
  createTally(month: Month): Tally
  createReading(lane: InLane, month: Month): Reading
}
