// The SQL of the totals of the float books. They are of rails, over all lanes.

import type { Environment } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { FloatBalance, FloatName } from './sql-float.ts'

/** Each account of a total, as a row; `t` is a total. */
const accountsOfTotal = `(values ('balance', t.balance), ('receivable', t.receivable), ('bank', t.bank),
  ('cost', t.cost), ('tenants', t.tenants), ('suspense', t.suspense)) as side (account, amount)`

const totalsOf = statement(
  'ledger.float_totals_of',
  `select t.currency, t.until_at as "untilAt", side.account, side.amount as balance
     from float_total t cross join lateral ${accountsOfTotal} where t.environment = $1 and t.rail = $2`,
)

/** What the book came to before a moment, but for its opening. */
export function findTotalsOf(
  db: Queryable,
  { environment, rail }: FloatName,
): Promise<(FloatBalance & { untilAt: Date })[]> {
  return db.query(totalsOf, [environment, rail])
}

const accountNames = ['balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense'] as const

// Only from the totals that the new ones were made of: whoever was faster has written these already.
const writeTotals = statement(
  'ledger.total_float',
  `insert into float_total (environment, rail, currency, until_at, ${accountNames.join(', ')})
   select $1, $2, v.* from unnest($3::text[], $4::timestamptz[], ${accountNames.map((_, at) => `$${at + 6}::bigint[]`).join(', ')})
     as v (currency, until_at, ${accountNames.join(', ')})
    order by v.currency
   on conflict (environment, rail, currency) do update
     set until_at = excluded.until_at, ${accountNames.map((name) => `${name} = excluded.${name}`).join(', ')}
   where float_total.until_at = $5`,
)

/** One currency's totals: every account. */
export type NewTotal = { currency: string; balances: Map<string, bigint> }

export async function writeFloatTotals(
  db: Queryable,
  { environment, rail }: FloatName,
  { since, until, totals }: { since: Date | '-infinity'; until: Date; totals: NewTotal[] },
): Promise<void> {
  const columns = accountNames.map((name) => totals.map(({ balances }) => balances.get(name) ?? 0n))
  const currencies = totals.map(({ currency }) => currency)
  await db.query(writeTotals, [environment, rail, currencies, currencies.map(() => until), since, ...columns])
}

/** What a float book comes to up to a moment; once for each of its accounts. */
export type TotalRow = {
  environment: Environment
  rail: string
  currency: string
  untilAt: Date
  account: string
  amount: bigint
}

const totals = statement(
  'ledger.float_totals',
  `select t.environment, t.rail, t.currency, t.until_at as "untilAt", side.account, side.amount
     from float_total t cross join lateral ${accountsOfTotal} order by t.environment, t.rail, t.currency, side.account`,
)

export function findTotals(db: Queryable): Promise<TotalRow[]> {
  return db.query<TotalRow>(totals, [])
}
