// Changes the key under which notices are sealed, a few at a time, beside the service.

import type { InLane } from '#base/db.ts'
import type { ResealMode } from '#base/reseal.ts'
import type { SecretBox } from '#base/secret.ts'
import { noticeContext } from './notice.ts'
import { findSealed, writeResealed } from './sql.ts'

/** Each may hold 1 MiB. */
const rowsPerBatch = 20
const firstLane = 1

/** Notices have no lane, so that they are walked beside the first one alone. */
export async function resealNotices(db: InLane, box: SecretBox, how: ResealMode): Promise<number> {
  if (db.lane !== firstLane) return 0
  let after: Parameters<typeof findSealed>[1] = { environment: '', rail: '', digest: Buffer.alloc(0) }
  let found = 0
  for (;;) {
    const rows = await findSealed(db, after, rowsPerBatch)
    for (const row of rows) {
      const fresh = row.body === null ? undefined : box.reseal(row.body, noticeContext(row))
      if (fresh === undefined) continue
      found += 1
      if (how === 'write') await writeResealed(db, row, fresh)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerBatch || how === 'look') return found
    after = last
  }
}
