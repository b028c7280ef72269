// Counts due rows for metrics. The count is bounded, so that it costs the same beside a million due rows.

import type { Context } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { findDue, type Due } from './queries.ts'

const countedMax = 10_000

export function duePayments({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), countedMax)
}
