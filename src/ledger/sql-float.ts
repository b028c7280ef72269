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

type FloatName = { environment: Environment; rail: string }

export type FloatBalance = { currency: string; account: FloatAccount; balance: bigint }

// What went in less what went out, over all lanes. By the index float_movement_at, once for each side.
const balancesOf = statement(
  'ledger.float_balances',
  `select currency, account, sum(amount)::bigint as balance from (
     select lane, currency, credit as account, amount from float_movement where environment = $1 and rail = $2
      union all
     select lane, currency, debit, -amount from float_movement where environment = $1 and rail = $2) as sides
    group by currency, account order by currency, account`,
)

export function readFloat(db: Queryable, { environment, rail }: FloatName): Promise<FloatBalance[]> {
  return db.query<FloatBalance>(balancesOf, [environment, rail])
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
