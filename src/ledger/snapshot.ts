// A snapshot that answers no more once it is old.

import { inLane, type Db } from '#base/db.ts'
import type { Check } from './invariant.ts'

/**
 * No snapshot gets older. With one open, acceptance fell to 55 % within 60 s, because vacuum takes nothing away that the
 * snapshot may still see, and the scan for due payments walks over it.
 */
const snapshotMsMax = 30_000
/** What the last statement may take: a hundred times as long as a page does. */
const lastStatementMs = 15_000

class SnapshotEnded extends Error {}

export function takeSnapshot(db: Db, number: number, ms = snapshotMsMax - lastStatementMs): Check['atOneMoment'] {
  return async (work) => {
    try {
      return await db.snapshot((tx) => {
        const startMs = performance.now()
        const lane = inLane(tx, number)
        return work({
          lane: number,
          async query(what, values) {
            if (performance.now() - startMs > ms) throw new SnapshotEnded('the snapshot is old')
            return lane.query(what, values)
          },
        })
      })
    } catch (error) {
      if (error instanceof SnapshotEnded) return undefined
      throw error
    }
  }
}
