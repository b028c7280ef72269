// Months of movements, for whoever carries them into files and back (src/archive/). All that touches the ledger's tables is
// done here.

import type { InLane } from '#base/db.ts'
import { hourMs } from '#base/durations.ts'
import { tenantsIn, type MonthlyRows } from '#base/months.ts'
import { firstIdAt } from './pieces.ts'
import { carrying, readLines } from './sql-archive.ts'

export { findLastEntry, insertSeal, readDigests, readSealed, type SealedDigest, type SealedSum } from './sql-archive.ts'
export { lanesWithRows } from './sql-verify.ts'

/** An id is ahead of its movement's date by what its process had dated before, and by what clocks differ: seconds. */
const idAheadMsMax = hourMs

/** Those that are dated in this time, by their ids. */
async function* movementLines(
  lane: InLane,
  { since, until }: { since: Date; until: Date },
  linesAtOnce: number,
): AsyncGenerator<string[]> {
  const before = firstIdAt(new Date(until.getTime() + idAheadMsMax))
  for await (const tenantId of tenantsIn(lane)) {
    for (let after = firstIdAt(since); ;) {
      const rows = await readLines(lane, tenantId, { after, before, since, until, limit: linesAtOnce })
      if (rows.length > 0) yield rows.map(({ line }) => line)
      const last = rows.at(-1)
      if (last === undefined || rows.length < linesAtOnce) break
      after = last.id
    }
  }
}

export const monthlyMovements: MonthlyRows = { ...carrying, lines: movementLines }
