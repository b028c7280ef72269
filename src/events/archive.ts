// Months of events, for whoever carries them into files and back (src/archive/), and for who proves payments against them.

import type { InLane } from '#base/db.ts'
import { firstUuid } from '#base/ids.ts'
import { archivedUntilIn, tenantsIn, type MonthlyRows } from '#base/months.ts'
import { carrying, readLines } from './sql-archive.ts'

export { insertSeal, ofPayments, readDigests, readSealed, readSeals, type SealedDigest } from './sql-archive.ts'

/** Up to which moment the events of a lane are in files, as SQL. */
export const archivedUntil = archivedUntilIn('event_archive')

/** In the order in which they happened. */
async function* eventLines(
  lane: InLane,
  { since, until }: { since: Date; until: Date },
  linesAtOnce: number,
): AsyncGenerator<string[]> {
  for await (const tenantId of tenantsIn(lane)) {
    for (let after = { at: since.toISOString(), id: firstUuid }; ;) {
      const rows = await readLines(lane, tenantId, { after, until, limit: linesAtOnce })
      if (rows.length > 0) yield rows.map(({ line }) => line)
      const last = rows.at(-1)
      if (last === undefined || rows.length < linesAtOnce) break
      after = last
    }
  }
}

export const monthlyEvents: MonthlyRows = { ...carrying, lines: eventLines }
