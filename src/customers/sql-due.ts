// The SQL that tells how many accounts are to be expired or given back, and nobody has done it.

import { statement, type InLane } from '#base/db.ts'

// Out of the indexes virtual_account_due and virtual_account_opening_due alone (lane, due_at), at most $3 entries of each.
const dueAccounts = statement(
  'accounts.due',
  `select count(*)::int as count, min(due_at) as oldest from (
     (select due_at from virtual_account where lane = $1 and due_at is not null and due_at <= $2 order by due_at limit $3)
     union all
     (select due_at from virtual_account_opening where lane = $1 and due_at <= $2 order by due_at limit $3)) as due`,
)

export type Due = { count: number; oldest: Date | null }

/** `limit`: of accounts, and of openings, no more are counted. */
export async function findDue(db: InLane, now: Date, limit: number): Promise<Due> {
  const [row] = await db.query<Due>(dueAccounts, [db.lane, now, limit])
  return row ?? { count: 0, oldest: null }
}
