// How much is due, for whoever watches the work: bounded, so that it costs the same beside a million due rows.

import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { findDue, type Due } from './sql-due.ts'

const countedMax = 10_000
/** Each costs two look-ups in an index: 10 µs. */
const subscriptionsMax = 1_000

/** Not what waits for a receiver that fails. */
export function dueDeliveries({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), { limit: countedMax, subscriptionsMax })
}
