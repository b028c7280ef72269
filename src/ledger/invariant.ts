// What must hold in the books, as a room states it for `ledger verify`.

import type { InLane } from '#platform/db/db.ts'
import type { Finding } from './verify.ts'
import type { Walk } from './table-scan.ts'

export type Invariant = {
  /** What holds, as a sentence. */
  name: string
  /** Looks at the rows of one lane. */
  run: (check: Check) => Promise<void>
}

/** Its `lane` shows each statement its own moment; what must be seen at one moment is read by `atOneMoment`. */
export type Check = Walk & {
  /** With it is looked at what lies in no lane. */
  isFirstLane: boolean
  /** Runs the work on a snapshot. Undefined: it was not done when the snapshot was to end, so that nothing is known. */
  atOneMoment: <T extends object>(work: (lane: InLane) => Promise<T>) => Promise<T | undefined>
  /** So many movements are read of one snapshot. */
  rowsPerSnapshot: number
  /** Findings of one tenant with one message are told as one. */
  report: (finding: Finding) => void
  /** So many rows more were looked at. */
  progress: (rows: number) => void
}
