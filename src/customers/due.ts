// How much is due, for whoever watches the work: bounded, so that it costs the same beside a million due rows.

import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { findDue, type Due } from './sql-due.ts'

const countedMax = 10_000

/** Accounts to expire, and numbers to give back. */
export function dueAccounts({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), countedMax)
}
