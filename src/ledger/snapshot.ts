// A snapshot that answers no more once it is old, and whose last statement is cut when it takes too long.

import { inLane, isTooLong, type Db } from '#base/db.ts'
import type { Check } from './invariant.ts'
import type { Pace } from './pace.ts'

/**
 * No snapshot gets older. With one open, acceptance fell to 55 % within 60 s, because vacuum takes nothing away that the
 * snapshot may still see, and the scan for due payments walks over it.
 */
const snapshotMsMax = 30_000
/** What a statement may take, also the last one: a hundred times as long as a page does. */
const statementMsMax = 15_000

class SnapshotEnded extends Error {}

export function takeSnapshot(
  db: Db,
  number: number,
  { pace, ms = snapshotMsMax - statementMsMax }: { pace: Pace; ms?: number | undefined },
): Check['atOneMoment'] {
  return async (work) => {
    try {
      return await db.snapshot((tx) => {
        const startMs = performance.now()
        const lane = inLane(tx, number)
        return work({
          lane: number,
          query: (what, values) =>
            pace(() => {
              if (performance.now() - startMs > ms) throw new SnapshotEnded('the snapshot is old')
              return lane.query(what, values)
            }),
        })
      }, statementMsMax)
    } catch (error) {
      if (error instanceof SnapshotEnded || isTooLong(error)) return undefined
      throw error
    }
  }
}
