// What was moved for payments, or for deposits, as the one side of their proofs (digests.ts).

import type { Cause } from './causes.ts'
import type { Side } from './digests.ts'
import { digestsInTable, sealedDigests } from './sql-moved.ts'

/** What is in the table, and what is in files. */
export const movedFor = (cause: Cause): Side =>
  async function* (walk, settledUntil) {
    yield* sealedDigests(walk, cause)
    yield* digestsInTable(walk, cause, settledUntil)
  }
