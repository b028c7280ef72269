// The SQL that finds what a provider owes: deposits in the float book against the settlements of its ledger.

import { statement, type Queryable } from '#base/db.ts'
import type { Kobo } from '#base/money.ts'
import type { RailName } from '#rails/rail.ts'
import type { Window } from './sql-proofs.ts'

const lastSettlement = statement(
  'reconcile.last_settlement',
  `select at from rail_line
    where environment = $1 and rail = $2 and list = 'ledger' and at >= $3 and at < $4 and direction = 'in'
      and cause in ('deposit', 'settlement')
    order by at desc limit 1`,
)

export async function findLastSettlement(
  db: Queryable,
  { environment, rail }: RailName,
  { fromAt, toAt }: Window,
): Promise<Date | undefined> {
  return (await db.query<{ at: Date }>(lastSettlement, [environment, rail, fromAt, toAt]))[0]?.at
}

// Uses the index float_movement_at, and a probe of rail_line_reference for each deposit. Ids of other things may be the same.
const settlementOf = `(
  select 1 from (
    select environment, rail, list, reference, cause, direction from rail_line
     where (environment, rail, list, reference) >= (f.environment, f.rail, 'ledger', f.subject)
     order by environment, rail, list, reference limit 16) as l
   where l.environment = f.environment and l.rail = f.rail and l.list = 'ledger' and l.reference = f.subject
     and l.direction = 'in' and l.cause in ('deposit', 'settlement'))`
const depositsIn = `float_movement f
    where f.environment = $1 and f.rail = $2 and f.at >= $3 and f.at < $4 and f.kind = 'deposit' and f.currency = 'NGN'`

const unsettledOnes = statement(
  'reconcile.unsettled',
  `select f.subject, f.amount, f.at from ${depositsIn} and not exists ${settlementOf} order by f.at limit $5`,
)

/** `subject`: what the provider calls the deposit. */
export type Unsettled = { subject: string; amount: Kobo; at: Date }

export function findUnsettled(
  db: Queryable,
  { environment, rail }: RailName,
  { fromAt, toAt }: Window,
  limit: number,
): Promise<Unsettled[]> {
  return db.query<Unsettled>(unsettledOnes, [environment, rail, fromAt, toAt, limit])
}

const namedOnes = statement(
  'reconcile.settlement_named',
  `select f.subject from ${depositsIn} and exists ${settlementOf} limit 1`,
)

/** Returns true if the ledger names any deposit of the window. */
export async function isSettlementNamed(
  db: Queryable,
  { environment, rail }: RailName,
  { fromAt, toAt }: Window,
): Promise<boolean> {
  return (await db.query(namedOnes, [environment, rail, fromAt, toAt])).length > 0
}

const received = statement(
  'reconcile.received',
  `select coalesce(sum(case credit when 'receivable' then amount else -amount end), 0)::bigint as sum from float_movement
    where environment = $1 and rail = $2 and at >= $3 and currency = 'NGN'
      and kind in ('deposit', 'deposit_cost', 'unowned', 'owned')`,
)

/** What became receivable since a moment, settlements aside. */
export async function sumReceived(db: Queryable, { environment, rail }: RailName, since: Date): Promise<bigint> {
  return (await db.query<{ sum: bigint }>(received, [environment, rail, since]))[0]?.sum ?? 0n
}
