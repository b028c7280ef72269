// The SQL of checks. They are found by their rail; no tenant has a part in them, so they stand in no lane.

import { statement, type Queryable } from '#base/db.ts'
import type { RailName } from '#rails/rail.ts'
import type { Check, LoopName } from './check.ts'

const columns = `environment, rail, loop, began_at as "beganAt", from_at as "fromAt", to_at as "toAt", step, cursor,
  pages, marked_cursor as "markedCursor", cut, proved_until as "provedUntil", why, balance`

const insertRows = statement(
  'reconcile.begin_checks',
  `insert into rail_check (environment, rail, loop, due_at, began_at)
   select $1, $2, loop, $3, $4 from unnest(array['near', 'close']) as loop
   on conflict (environment, rail, loop) do nothing`,
)

/** From now on the rail is looked at. */
export async function beginChecks(
  db: Queryable,
  { environment, rail }: RailName,
  { now, beganAt }: { now: Date; beganAt: Date },
): Promise<void> {
  await db.query(insertRows, [environment, rail, now, beganAt])
}

const claimDue = statement(
  'reconcile.claim_check',
  `with due as materialized (
     select loop from rail_check where environment = $1 and rail = $2 and due_at <= $3
      order by due_at limit 1 for update skip locked)
   update rail_check set due_at = $4
    where environment = $1 and rail = $2 and loop = any(array(select loop from due))
   returning ${columns}`,
)

/** One that is due; nobody else has it before the lease ends. */
export async function claimCheck(
  db: Queryable,
  { environment, rail }: RailName,
  { now, leaseEnd }: { now: Date; leaseEnd: Date },
): Promise<Check | undefined> {
  const [row] = await db.query<Check>(claimDue, [environment, rail, now, leaseEnd])
  return row
}

const saveRow = statement(
  'reconcile.save_check',
  `update rail_check set due_at = $5, from_at = $6, to_at = $7, step = $8, cursor = $9, proved_until = $10, why = $11,
          balance = $12, pages = $13, marked_cursor = $14, cut = $15
    where environment = $1 and rail = $2 and loop = $3 and due_at = $4
   returning 1 as one`,
)

/** False: the lease has ended and somebody else goes on with it, so that nothing may be written. */
export async function saveCheck(
  db: Queryable,
  check: Check,
  { leaseEnd, dueAt }: { leaseEnd: Date; dueAt: Date | null },
): Promise<boolean> {
  const { environment, rail, loop, fromAt, toAt, step, cursor, provedUntil, why, balance, pages } = check
  const place = [fromAt, toAt, step, cursor, provedUntil, why, balance, pages, check.markedCursor, check.cut]
  return (await db.query(saveRow, [environment, rail, loop, leaseEnd, dueAt, ...place])).length > 0
}

const askForDay = statement(
  'reconcile.ask_for_day',
  `insert into rail_check (environment, rail, loop, due_at, began_at, from_at, to_at)
   select environment, rail, 'day', $3, began_at, $4, $5 from rail_check
    where environment = $1 and rail = $2 and loop = 'close'
   on conflict (environment, rail, loop) do update
     set due_at = $3, from_at = $4, to_at = $5, step = 'payouts', cursor = null, pages = 0, marked_cursor = null, cut = null,
         proved_until = null, why = null
   returning 1 as one`,
)

export type Day = { now: Date; fromAt: Date; toAt: Date }

/** False: no process looks after this rail. */
export async function writeDay(db: Queryable, { environment, rail }: RailName, day: Day): Promise<boolean> {
  return (await db.query(askForDay, [environment, rail, day.now, day.fromAt, day.toAt])).length > 0
}

const oneRow = statement(
  'reconcile.find_check',
  `select ${columns}, due_at as "dueAt" from rail_check where environment = $1 and rail = $2 and loop = $3`,
)

export async function findCheck(db: Queryable, { environment, rail }: RailName, loop: LoopName) {
  const [row] = await db.query<Check & { dueAt: Date | null }>(oneRow, [environment, rail, loop])
  return row
}

const allRows = statement(
  'reconcile.all_checks',
  `select ${columns} from rail_check order by environment, rail, loop limit $1`,
)

export function findChecks(db: Queryable, limit: number): Promise<Check[]> {
  return db.query<Check>(allRows, [limit])
}
