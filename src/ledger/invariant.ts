// What must hold in the books, as a room states it for `ledger verify`.

import type { Finding } from './findings.ts'
import type { Walk } from './walk.ts'

export type Invariant = {
  /** What holds, as a sentence. */
  name: string
  /** Looks at the rows of one lane. */
  run: (check: Check) => Promise<void>
}

export type Check = Walk & {
  /** Findings of one tenant with one message are told as one. */
  report: (finding: Finding) => void
  /** So many rows more were looked at. */
  progress: (rows: number) => void
}
