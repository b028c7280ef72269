// The SQL of what a window proves. It is about rails, whose payments live in any lane.

import { statement, type Queryable, type Statement } from '#base/db.ts'
import type { Kobo } from '#base/money.ts'
import type { RailName } from '#rails/rail.ts'

export type Window = { fromAt: Date; toAt: Date }

type ReadWindow<R> = (db: Queryable, name: RailName, window: Window, limit: number) => Promise<R[]>

/** What a statement finds of a rail in a window. */
function readWindow<R extends object>(what: Statement): ReadWindow<R> {
  return (db, { environment, rail }, { fromAt, toAt }, limit) =>
    db.query<R>(what, [environment, rail, fromAt, toAt, limit])
}

// By the index float_movement_at, and a probe of rail_line_reference for each (see sql-lines.ts).
const missingThere = statement(
  'reconcile.missing_there',
  `select f.lane, f.reference, f.amount, f.at from float_movement f
    where f.environment = $1 and f.rail = $2 and f.kind = 'payout' and f.at >= $3 and f.at < $4
      and not exists (
        select 1 from (
          select environment, rail, list, reference from rail_line
           where (environment, rail, list, reference) >= (f.environment, f.rail, 'payouts', f.reference)
           order by environment, rail, list, reference limit 1) as l
         where l.environment = f.environment and l.rail = f.rail and l.list = 'payouts' and l.reference = f.reference)
    order by f.at limit $5`,
)

export type MissingThere = { lane: number; reference: string; amount: Kobo; at: Date }

export const findMissingThere = readWindow<MissingThere>(missingThere)

const costsIn = statement(
  'reconcile.costs',
  `select amount, fee, count(*) as count from rail_line
    where environment = $1 and rail = $2 and list = 'payouts' and at >= $3 and at < $4 and state = 'succeeded'
      and fee is not null
    group by amount, fee limit $5`,
)

export type CostRow = { amount: Kobo; fee: Kobo; count: bigint }

export const costsOfDay = readWindow<CostRow>(costsIn)

// One end of the index rail_line_at, and then the lines of that moment.
const edgeOf = (order: 'asc' | 'desc'): string =>
  `select at, balance_after as "balanceAfter", case direction when 'in' then amount else -amount end as change
     from rail_line
    where environment = $1 and rail = $2 and list = 'ledger' and balance_after is not null and at = (
      select at from rail_line
       where environment = $1 and rail = $2 and list = 'ledger' and at >= $3 and balance_after is not null
       order by at ${order} limit 1)
    order by length(line_id) ${order}, line_id ${order} limit 1`

const firstChange = statement('reconcile.first_change', edgeOf('asc'))
const lastChange = statement('reconcile.last_change', edgeOf('desc'))

export type Change = { at: Date; balanceAfter: bigint; change: bigint }

/** The first and the last change of the balance since a moment. */
export async function findChanges(
  db: Queryable,
  { environment, rail }: RailName,
  since: Date,
): Promise<{ first: Change; last: Change } | undefined> {
  const values = [environment, rail, since]
  const [[first], [last]] = await Promise.all([
    db.query<Change>(firstChange, values),
    db.query<Change>(lastChange, values),
  ])
  return first === undefined || last === undefined ? undefined : { first, last }
}

// A payout's lines of the ledger against its movements. One side alone is under way for a while: a list is late, or the
// payment has not ended. What left the balance before this rail was looked at is in the opening balance. Asked is about
// those of which one side is fresh, or older than the opening: by the indexes by time, so that the rest, which is settled, is
// not read. Then each by its reference, in the order of an index, or the planner joins them to all that there is.
const openOnes = statement(
  'reconcile.open_payouts',
  `with listed_then as materialized (
     select reference as line_id from rail_line
      where environment = $1 and rail = $2 and list = 'ledger' and at > $4 and cause = 'payout'
     union
     select reference from rail_line
      where environment = $1 and rail = $2 and list = 'ledger' and at < $3 and cause = 'payout'),
   fresh as materialized (
     select reference from float_movement
      where environment = $1 and rail = $2 and at > $4 and kind in ('payout', 'payout_cost', 'reversal')
     union
     select p.reference from listed_then as k
      cross join lateral (
        select * from rail_line
         where (environment, rail, list, line_id) >= ($1, $2, 'payouts', k.line_id)
         order by environment, rail, list, line_id limit 1) as p
      where p.environment = $1 and p.rail = $2 and p.list = 'payouts' and p.line_id = k.line_id),
   listed as (
     select fresh.reference, sum(case l.direction when 'in' then l.amount else -l.amount end) as change,
            min(l.at) as first_at, max(l.at) as last_at
       from fresh
      cross join lateral (
        select * from rail_line
         where (environment, rail, list, reference) >= ($1, $2, 'payouts', fresh.reference)
         order by environment, rail, list, reference limit 4) as p
      cross join lateral (
        select * from rail_line
         where (environment, rail, list, reference) >= ($1, $2, 'ledger', p.line_id)
         order by environment, rail, list, reference limit 16) as l
      where p.environment = $1 and p.rail = $2 and p.list = 'payouts' and p.reference = fresh.reference
        and l.environment = $1 and l.rail = $2 and l.list = 'ledger' and l.reference = p.line_id and l.cause = 'payout'
      group by fresh.reference),
   booked as (
     select fresh.reference, sum(case m.credit when 'balance' then m.amount else -m.amount end) as change,
            max(m.at) as last_at
       from fresh
      cross join lateral (
        select * from float_movement
         where (environment, rail, reference) >= ($1, $2, fresh.reference)
         order by environment, rail, reference limit 16) as m
      where m.environment = $1 and m.rail = $2 and m.reference = fresh.reference
        and m.kind in ('payout', 'payout_cost', 'reversal')
      group by fresh.reference)
   select coalesce(sum(coalesce(booked.change, 0)
            - case when listed.first_at < $3 then 0 else coalesce(listed.change, 0) end), 0)::bigint as difference
     from listed full join booked on booked.reference = listed.reference
    where (listed.first_at < $3 and booked.change is not null)
       or (listed.change is null and booked.last_at > $4)
       or (listed.first_at >= $3 and booked.change is null and (listed.last_at > $4 or listed.change = 0))`,
)

/** By how much the book is above the provider's balance because of what is under way. */
export async function sumOpenPayouts(
  db: Queryable,
  { environment, rail }: RailName,
  { beganAt, lateSince }: { beganAt: Date; lateSince: Date },
): Promise<bigint> {
  const [row] = await db.query<{ difference: bigint }>(openOnes, [environment, rail, beganAt, lateSince])
  return row?.difference ?? 0n
}
