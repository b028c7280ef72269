// Changes the key under which notices are sealed, a few at a time, beside the service.

import type { InLane } from '#platform/db/db.ts'
import { resealPages, type ResealMode, type SecretBox } from '#platform/secrets.ts'
import { noticeContext } from './notice.ts'
import { findSealed, writeResealed, type NoticePlace } from './queries.ts'

/** Each may hold 1 MiB. */
const rowsPerPage = 20
const firstLane = 1
const first: NoticePlace = { environment: '', rail: '', digest: Buffer.alloc(0) }

/** Notices have no lane, so that they are walked beside the first one alone. */
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
