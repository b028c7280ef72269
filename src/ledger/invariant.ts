// An invariant of the books, which a module defines for `ledger verify`.

import type { InLane } from '#platform/db/db.ts'
import type { Violation } from './verify.ts'
import type { TableScan } from './table-scan.ts'

export type Invariant = {
  /** The rule, as a sentence. */
  name: string
  /** Checks the rows of one lane. */
  run: (check: InvariantCheck) => Promise<void>
}

/** Each statement of `lane` sees its own moment; `atOneMoment` reads what must be seen at one moment. */
export type InvariantCheck = TableScan & {
  /** The check of the first lane also covers rows that belong to no lane. */
  isFirstLane: boolean
  /**
   * Runs the work in a snapshot. Undefined if the snapshot had to end before the work was done, so that nothing is
   * known.
   */
  atOneMoment: <T extends object>(work: (lane: InLane) => Promise<T>) => Promise<T | undefined>
  /** The maximum number of movements to read in one snapshot. */
  rowsPerSnapshot: number
  /** Findings of one tenant with the same message are merged. */
  report: (finding: Violation) => void
  /** Reports that this many more rows were checked. */
  progress: (rows: number) => void
}
