// The SQL that tells how much is due and nobody has taken up.

import { statement, type InLane } from '#base/db.ts'
import { waysWithWork } from './sql.ts'

// Out of the index payment_due_by_way alone (lane, kind, rail, due_at): one probe for each way that has unfinished
// payments, then at most $3 entries of it. Beside 1 000 000 due rows: 2 ms, and 50 ms where vacuum has not been yet.
const dueByWay = statement(
  'payments.due',
  `with recursive ${waysWithWork}
   select coalesce(sum(found.count), 0)::int as count, min(found.oldest) as oldest
     from way cross join lateral (
       select count(*) as count, min(due_at) as oldest from (
         select due_at from payment
          where lane = $1 and kind = way.kind and rail = way.rail and due_at <= $2
          order by due_at limit $3) as first) as found`,
)

export type Due = { count: number; oldest: Date | null }

/** `limit`: of each kind at each rail no more are counted. */
export async function findDue(db: InLane, now: Date, limit: number): Promise<Due> {
  const [row] = await db.query<Due>(dueByWay, [db.lane, now, limit])
  return row ?? { count: 0, oldest: null }
}
