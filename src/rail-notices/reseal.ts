// Reseals notices with the current key, a few at a time, while the service runs.

import type { InLane } from '#platform/db/db.ts'
import { resealPages, type ResealMode, type SecretBox } from '#platform/secrets.ts'
import { noticeContext } from './notice.ts'
import { findSealed, writeResealed, type NoticePlace } from './queries.ts'

/** Each notice may have 1 MiB. */
const rowsPerPage = 20
const firstLane = 1
const first: NoticePlace = { environment: '', rail: '', digest: Buffer.alloc(0) }

/** Notices have no lane, so the run of the first lane covers them all. */
export async function resealNotices(db: InLane, box: SecretBox, how: ResealMode): Promise<number> {
  if (db.lane !== firstLane) return 0
  return resealPages({
    first,
    rowsPerPage,
    read: (after, limit) => findSealed(db, after, limit),
    changesOf: (row) => {
      const fresh = row.body === null ? undefined : box.reseal(row.body, noticeContext(row))
      return fresh === undefined ? [] : [{ row, fresh }]
    },
    how,
    async write(changes) {
      for (const { row, fresh } of changes) await writeResealed(db, row, fresh)
    },
  })
}
