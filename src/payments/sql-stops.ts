// The SQL of rails to which no payout is handed, and of payments that were held back by it. A rail has one environment and
// its payments live in any lane, so stops stand in no lane.

import { statement, type InLane, type Queryable, type Tx } from '#base/db.ts'
import type { RailName } from '#rails/rail.ts'

export type StopRow = RailName & { stoppedAt: Date; why: string }

const selectStops = statement(
  'payments.rail_stops',
  'select environment, rail, stopped_at as "stoppedAt", why from rail_stop order by environment, rail',
)

export function readStops(db: Queryable): Promise<StopRow[]> {
  return db.query<StopRow>(selectStops)
}

const insertStop = statement(
  'payments.stop_rail',
  `insert into rail_stop (environment, rail, stopped_at, why) values ($1, $2, $3, $4)
   on conflict (environment, rail) do nothing returning 1 as one`,
)

/** False: it is stopped already. */
export async function writeStop(tx: Tx, { environment, rail, stoppedAt, why }: StopRow): Promise<boolean> {
  return (await tx.query(insertStop, [environment, rail, stoppedAt, why])).length > 0
}

// Waits for claims that hold payments back at this moment, because they lock what they go by (sql.ts).
const deleteStop = statement(
  'payments.lift_stop',
  'delete from rail_stop where environment = $1 and rail = $2 returning 1 as one',
)

/** False: it was not stopped. */
export async function removeStop(tx: Tx, { environment, rail }: RailName): Promise<boolean> {
  return (await tx.query(deleteStop, [environment, rail])).length > 0
}

const noteResumption = statement(
  'payments.note_resumption',
  `insert into rail_resumption (environment, rail, resumed_at) values ($1, $2, $3)
   on conflict (environment, rail) do update set resumed_at = greatest(excluded.resumed_at, rail_resumption.resumed_at + interval '1 ms')`,
)

/** Later than any before it, so that every process sees that there was one. */
export function writeResumption(tx: Tx, { environment, rail }: RailName, at: Date): void {
  tx.send(noteResumption, [environment, rail, at])
}

const selectStates = statement(
  'payments.rail_states',
  `select environment, rail, true as "isStopped", null::timestamptz as "resumedAt" from rail_stop
    union all select environment, rail, false, resumed_at from rail_resumption`,
)

export type StateRow = RailName & { isStopped: boolean; resumedAt: Date | null }

/** A row for what is stopped, and one for what was resumed. */
export function readRailStates(db: Queryable): Promise<StateRow[]> {
  return db.query<StateRow>(selectStates)
}

// One probe of the index payment_due_by_way for each kind that pays out. Whoever holds a payment at this moment knows better
// when it is due.
const wakeRows = statement(
  'payments.wake_stopped',
  `with held as materialized (
     select found.row_place
       from unnest(array['bank_transfer', 'momo_transfer']) as way (kind)
       cross join lateral (
         select p.ctid as row_place from payment p
          where p.lane = $1 and p.kind = way.kind and p.rail = $3 and p.due_at > $2 and p.submitted_at is null
          order by p.due_at limit $4
            for update of p skip locked) as found)
   update payment p set due_at = $2
     from held where p.lane = $1 and p.ctid = any(array(select row_place from held)) and p.ctid = held.row_place
   returning 1`,
)

/** Resolves with how many it woke: at most `limit` of each kind. */
export async function wakeStopped(lane: InLane, rail: string, now: Date, limit: number): Promise<number> {
  return (await lane.query(wakeRows, [lane.lane, now, rail, limit])).length
}
