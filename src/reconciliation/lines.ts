// Stores the lines of providers' lists, each once in its last version, and claims those that are due for comparison.

import { arraysOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Environment } from '#platform/context.ts'
import type { RailLine } from '#rails/statement.ts'
import type { RailName } from '#rails/rail.ts'

// A line that has not changed stays as it is and does not become due again.
const upsertRows = statement(
  'reconcile.keep_lines',
  `insert into rail_line (environment, rail, list, line_id, direction, cause, reference, amount, fee, currency, state, at,
     account_number, balance_after, country, fraction, seen_at, due_at)
   select $1, $2, v.*, $3, $3 from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],
     $10::bigint[], $11::text[], $12::text[], $13::timestamptz[], $14::text[], $15::bigint[], $16::text[], $17::integer[]) as v
   on conflict (environment, rail, list, line_id) do update
     set direction = excluded.direction, cause = excluded.cause, reference = excluded.reference, amount = excluded.amount,
         fee = excluded.fee, currency = excluded.currency, state = excluded.state, at = excluded.at,
         account_number = excluded.account_number, balance_after = excluded.balance_after, country = excluded.country,
         fraction = excluded.fraction, seen_at = excluded.seen_at,
         due_at = excluded.due_at
     where (rail_line.direction, rail_line.cause, rail_line.reference, rail_line.amount, rail_line.fee, rail_line.currency,
            rail_line.state, rail_line.at, rail_line.account_number, rail_line.balance_after, rail_line.country, coalesce(rail_line.fraction, 0))
           is distinct from
           (excluded.direction, excluded.cause, excluded.reference, excluded.amount, excluded.fee, excluded.currency,
            excluded.state, excluded.at, excluded.account_number, excluded.balance_after, excluded.country, excluded.fraction)`,
)

/** A page may show a line twice if the list grew while it was read; the last version counts. */
export function keepLines(tx: Tx, { environment, rail }: RailName, lines: RailLine[], now: Date): void {
  const rows = [...new Map(lines.map((line) => [`${line.list} ${line.lineId}`, line])).values()]
    .toSorted((one, other) => (one.lineId < other.lineId ? -1 : 1))
    .map(({ atMs, ...line }) => ({ ...line, at: new Date(atMs) }))
  tx.send(upsertRows, [
    environment,
    rail,
    now,
    ...arraysOf(rows, 'list', 'lineId', 'direction', 'cause', 'reference', 'amount', 'fee', 'currency', 'state', 'at'),
    ...arraysOf(rows, 'accountNumber', 'balanceAfter', 'country', 'fraction'),
  ])
}

/** `seenAt`: when the list first showed this version of the line. */
export type KeptLine = Omit<RailLine, 'atMs'> & { environment: Environment; rail: string; at: Date; seenAt: Date }

const columnsOf = (
  r: string,
): string => `${r}.environment, ${r}.rail, ${r}.list, ${r}.line_id as "lineId", ${r}.direction,
  ${r}.cause, ${r}.reference, ${r}.amount, ${r}.fee, ${r}.currency, ${r}.state, ${r}.at,
  ${r}.account_number as "accountNumber", ${r}.balance_after as "balanceAfter", ${r}.country, coalesce(${r}.fraction, 0) as fraction,
  ${r}.seen_at as "seenAt"`

// Uses the index rail_line_due and updates by arrays of keys (see rail-notices/queries.ts).
const claimDue = statement(
  'reconcile.claim_lines',
  `with due as materialized (
     select list, line_id from rail_line where environment = $1 and rail = $2 and due_at <= $3
      order by due_at limit $5 for update skip locked)
   update rail_line l set due_at = $4
    where l.environment = $1 and l.rail = $2 and l.list = any(array(select list from due))
      and l.line_id = any(array(select line_id from due)) and l.due_at <= $3
   returning ${columnsOf('l')}`,
)

export type LineClaim = { now: Date; leaseEnd: Date; limit: number }

export function claimLines(db: Queryable, { environment, rail }: RailName, claim: LineClaim): Promise<KeptLine[]> {
  return db.query<KeptLine>(claimDue, [environment, rail, claim.now, claim.leaseEnd, claim.limit])
}

const finishRows = statement(
  'reconcile.finish_lines',
  `update rail_line l set due_at = k.due_at
     from unnest($4::text[], $5::text[], $6::timestamptz[]) as k (list, line_id, due_at)
    where l.environment = $1 and l.rail = $2 and l.list = k.list and l.line_id = k.line_id and l.due_at = $3
   returning l.list, l.line_id as "lineId"`,
)

type LineKey = Pick<KeptLine, 'list' | 'lineId'>
export type FinishedLine = LineKey & { dueAt: Date | null }

/**
 * Returns the lines that this process still had under its lease. The others changed in the meantime: they stay due, or
 * another check has already compared their new version, so what was found about the old one is not written.
 */
export function finishLines(
  tx: Tx,
  { environment, rail }: RailName,
  leaseEnd: Date,
  rows: FinishedLine[],
): Promise<LineKey[]> {
  return tx.query<LineKey>(finishRows, [environment, rail, leaseEnd, ...arraysOf(rows, 'list', 'lineId', 'dueAt')])
}

// The order makes the planner use the index rail_line_reference, because the primary key has another order. With an
// equality condition it considers the primary key equally selective, and reads all lines of the list for each
// reference. Four lines are enough, because two lines of a payout are a mismatch already.
const payoutsOf = statement(
  'reconcile.payout_lines',
  `select ${columnsOf('l')} from unnest($3::text[]) as k (value)
    cross join lateral (
      select * from rail_line
       where (environment, rail, list, reference) >= ($1, $2, 'payouts', k.value)
       order by environment, rail, list, reference limit 4) as l
    where l.environment = $1 and l.rail = $2 and l.list = 'payouts' and l.reference = k.value`,
)

export function findPayoutLines(
  db: Queryable,
  { environment, rail }: RailName,
  references: string[],
): Promise<KeptLine[]> {
  return db.query<KeptLine>(payoutsOf, [environment, rail, references])
}

const payoutById = statement(
  'reconcile.payout_line',
  `select ${columnsOf('l')} from rail_line l
    where l.environment = $1 and l.rail = $2 and l.list = 'payouts' and l.line_id = $3`,
)

export async function findPayoutLine(
  db: Queryable,
  { environment, rail }: RailName,
  lineId: string,
): Promise<KeptLine | undefined> {
  return (await db.query<KeptLine>(payoutById, [environment, rail, lineId]))[0]
}

const deleteOld = statement(
  'reconcile.delete_lines',
  `with old as materialized (
     select list, line_id from rail_line where environment = $1 and rail = $2 and list = $3 and at < $4
      order by at limit $5)
   delete from rail_line l where l.environment = $1 and l.rail = $2 and l.list = $3
      and l.line_id = any(array(select line_id from old)) and l.due_at is null
   returning 1 as one`,
)

export async function deleteLines(
  db: Queryable,
  { environment, rail }: RailName,
  old: { list: string; before: Date; limit: number },
): Promise<number> {
  return (await db.query(deleteOld, [environment, rail, old.list, old.before, old.limit])).length
}
