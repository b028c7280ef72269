// The SQL of the float books: rows go in and are read, and never change. They are about rails, whose money is that of
// tenants of all lanes; `lane` says where the cause of a row lives.

import type { Environment } from '#base/context.ts'
import { arraysOf, statement, type Queryable, type Tx } from '#base/db.ts'
import type { FloatAccount, FloatMovement } from './float.ts'

// In the order of the key, so that two transactions that book the same wait for each other in line.
const insertRows = statement(
  'ledger.insert_float',
  `insert into float_movement (environment, rail, currency, kind, subject, lane, reference, debit, credit, amount, at)
   select v.* from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::text[],
     $9::text[], $10::bigint[], $11::timestamptz[])
     as v (environment, rail, currency, kind, subject, lane, reference, debit, credit, amount, at)
    order by v.environment, v.rail, v.kind, v.subject
   on conflict do nothing`,
)

export function insertFloat(tx: Tx, rows: FloatMovement[]): void {
  tx.send(insertRows, [
    ...arraysOf(rows, 'environment', 'rail', 'currency', 'kind', 'subject', 'lane', 'reference', 'debit', 'credit'),
    ...arraysOf(rows, 'amount', 'at'),
  ])
}

export type FloatName = { environment: Environment; rail: string }

export type FloatBalance = { currency: string; account: FloatAccount; balance: bigint }

const sides = 'cross join lateral (values (m.credit, m.amount), (m.debit, -m.amount)) as side (account, amount)'

// What went in less what went out, over all lanes: by the index float_movement_at, of a day or two. Its bounds are parameters
// and no sub-select, so that it is known beforehand how little that is. The opening is dated back, and is read by its key.
const balancesBetween = statement(
  'ledger.float_balances',
  `select m.currency, side.account, sum(side.amount)::bigint as balance
     from (select lane, currency, credit, debit, amount from float_movement
            where environment = $1 and rail = $2 and at >= $3 and at < $4 and kind <> 'opening') as m ${sides}
    group by m.currency, side.account`,
)

export type Span = { since: Date | '-infinity'; until: Date | 'infinity' }

export function sumFloat(db: Queryable, { environment, rail }: FloatName, { since, until }: Span) {
  return db.query<FloatBalance>(balancesBetween, [environment, rail, since, until])
}

// In the order of the key, as below.
const opening = statement(
  'ledger.float_opening',
  `select m.currency, side.account, side.amount as balance
     from (select lane, environment, rail, kind, subject, currency, credit, debit, amount from float_movement
            where (environment, rail, kind, subject) >= ($1, $2, 'opening', 'opening')
            order by environment, rail, kind, subject limit 1) as m ${sides}
    where m.environment = $1 and m.rail = $2 and m.kind = 'opening' and m.subject = 'opening'`,
)

export function findOpening(db: Queryable, { environment, rail }: FloatName): Promise<FloatBalance[]> {
  return db.query<FloatBalance>(opening, [environment, rail])
}

// In the order of the key, which no other index gives: asked for equality, a planner takes the one by time for as narrow and
// reads the whole book for each subject.
const unownedOnes = statement(
  'ledger.float_unowned',
  `select f.subject from unnest($3::text[]) as k (value)
    cross join lateral (
      select lane, environment, rail, kind, subject from float_movement
       where (environment, rail, kind, subject) >= ($1, $2, 'unowned', k.value)
       order by environment, rail, kind, subject limit 1) as f
    where f.environment = $1 and f.rail = $2 and f.kind = 'unowned' and f.subject = k.value`,
)

export async function findUnownedSubjects(db: Queryable, { environment, rail }: FloatName, subjects: string[]) {
  const rows = await db.query<{ subject: string }>(unownedOnes, [environment, rail, subjects])
  return new Set(rows.map(({ subject }) => subject))
}
