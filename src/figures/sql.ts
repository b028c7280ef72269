// The SQL of figures: that adds to them, and that reads them.

import type { Tenant } from '#base/context.ts'
import { amountMax } from '#base/money.ts'
import { arrayOf, arraysOf, statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { durationColumns, type FigureKind, type FigureOutcome } from './figure.ts'

export type FigureRow = {
  tenantId: Uuid
  hour: Date
  kind: FigureKind
  currency: string
  outcome: FigureOutcome
  reason: string
  count: bigint
  amount: bigint
  fees: bigint
  /** In the order of `durations`. */
  took: bigint[]
}

const summed = ['count', 'amount', 'fees', ...durationColumns]
const given = 'tenant_id, hour, kind, currency, outcome, reason, count, amount, fees'

// The tenants are locked, so no row waits for another transaction. The columns that change are in no index, and half of each
// page is free: a row is rewritten within its page. The thirteen counts of a row come as one text: thirteen parameters more
// would be a third of what the statement costs.
const add = statement(
  'figures.add',
  `insert into figure (lane, ${given}, ${durationColumns.join(', ')})
   select $1, ${given}, ${durationColumns.map((_, index) => `took[${index + 1}]`).join(', ')}
     from (select ${given}, took::bigint[] as took
             from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
                    $9::bigint[], $10::bigint[], $11::text[]) as v (${given}, took) offset 0) as v
   on conflict (lane, tenant_id, hour, kind, currency, outcome, reason) do update
     set ${summed.map((column) => `${column} = figure.${column} + excluded.${column}`).join(', ')}`,
)

export function addFigures(tx: Tx, rows: FigureRow[]): void {
  tx.send(add, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'hour', 'kind', 'currency', 'outcome', 'reason', 'count', 'amount', 'fees'),
    arrayOf(rows, ({ took }) => `{${took.join(',')}}`),
  ])
}

export type Span = { from: Date; to: Date }

const ofSpan = `lane = $1 and tenant_id = $2 and hour >= $3 and hour < $4 and currency = 'NGN'`

/** More than JSON shows exactly is shown as the most that it does: of test money there may be so much. */
const shownSum = (column: string): string => `least(sum(${column}), ${amountMax})::bigint as ${column}`

// Each hour or day of the zone, also those in which nothing happened: they come once, with nulls.
const series = statement(
  'figures.series',
  `with point as (
     select local at time zone $6 as at
       from generate_series(date_trunc($5, $3::timestamptz at time zone $6),
              ($4::timestamptz - interval '1 ms') at time zone $6, ('1 ' || $5)::interval) as local),
   counted as (
     select date_trunc($5, hour, $6) as at, kind, outcome, sum(count)::bigint as count,
            ${shownSum('amount')}, ${shownSum('fees')}
       from figure where ${ofSpan} group by 1, 2, 3)
   select at, kind, outcome, count, amount, fees from point full join counted using (at)`,
)

type Counted = { kind: FigureKind; outcome: FigureOutcome; count: bigint; amount: bigint; fees: bigint }

export type SeriesRow = { at: Date } & (Counted | { kind: null })

export function readSeries(
  db: Queryable,
  tenant: Tenant,
  { from, to }: Span,
  { by, zone }: { by: 'hour' | 'day'; zone: string },
): Promise<SeriesRow[]> {
  return db.query<SeriesRow>(series, [tenant.lane, tenant.id, from, to, by, zone])
}

const sums = durationColumns.map((column) => `coalesce(sum(${column}), 0)::bigint`).join(', ')

const took = statement(
  'figures.took',
  `select array[${sums}]::text[] as counts from figure
    where ${ofSpan} and outcome = 'succeeded' and kind <> 'deposit'`,
)

/** Of the payments that succeeded, in the order of `durations`. */
export async function readDurations(db: Queryable, tenant: Tenant, { from, to }: Span): Promise<bigint[]> {
  const [row] = await db.query<{ counts: string[] }>(took, [tenant.lane, tenant.id, from, to])
  return (row?.counts ?? []).map(BigInt)
}

const reasons = statement(
  'figures.reasons',
  `select reason, sum(count)::bigint as count from figure
    where ${ofSpan} and outcome = 'failed' and kind <> 'deposit' group by reason`,
)

/** Why payments failed; there are as many reasons as the rails have. */
export function readReasons(
  db: Queryable,
  tenant: Tenant,
  { from, to }: Span,
): Promise<{ reason: string; count: bigint }[]> {
  return db.query(reasons, [tenant.lane, tenant.id, from, to])
}
