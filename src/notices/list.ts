// Notices that are not done, as an operator sees them.

import type { Context } from '#base/context.ts'
import type { OpenState } from './notice.ts'
import { findOpenNotices, type ListedNotice } from './sql.ts'

/** A page for a person; what stands behind it shows when some are done. */
const listedMax = 200

/** Oldest first. */
export function listNotices({ db }: Context, state: OpenState): Promise<ListedNotice[]> {
  return findOpenNotices(db, state, listedMax)
}
