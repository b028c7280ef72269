// Hourly stats of what happened to a tenant's money. Each transaction counts what it changes and adds it with one
// statement: a row per tenant, hour, kind, currency, outcome and reason, so a batch of hundreds of payments writes two
// or three rows (docs/adr/0022-figures-are-counted-in-the-batch.md).

import type { Tenant } from '#platform/context.ts'
import { arrayOf, arraysOf, type Queryable, statement, type Tx } from '#platform/db/db.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { amountMax, type Currency, type Money } from '#platform/money.ts'

/** A collection that succeeds makes a deposit too. Only the collection is counted. */
type FigureKind = PaymentFigureKind | 'deposit'
type PaymentFigureKind = 'bank_transfer' | 'momo_transfer' | 'momo_collection'

/**
 * `returned` is counted in the hour of the return. `success_undone` and `failure_undone` are counted in the hour of the
 * success or failure that they undo. A return undoes a success; money that comes after a collection has expired undoes
 * its failure. So the rows of an hour alone show how many of its payments still have that end.
 */
type FigureOutcome = 'accepted' | 'succeeded' | 'failed' | 'returned' | 'success_undone' | 'failure_undone'

export type Happening = {
  tenantId: Uuid
  kind: FigureKind
  currency: Currency
  outcome: FigureOutcome
  reason?: string | undefined
  at: Date
  amount: Money
  /** The fee that the business paid or, for a return, got back. */
  fee?: Money
  /** The time from acceptance to success or failure; absent for returns and deposits. */
  tookMs?: number
}

export const durations = [
  ['took_1s', 1_000],
  ['took_2s', 2_000],
  ['took_5s', 5_000],
  ['took_10s', 10_000],
  ['took_30s', 30_000],
  ['took_1m', minuteMs],
  ['took_2m', 2 * minuteMs],
  ['took_5m', 5 * minuteMs],
  ['took_15m', 15 * minuteMs],
  ['took_1h', hourMs],
  ['took_6h', 21_600_000],
  ['took_1d', dayMs],
  ['took_longer', Number.POSITIVE_INFINITY],
] as const

export const durationColumns = durations.map(([column]) => column)

export function durationIndex(tookMs: number): number {
  return durations.findIndex(([, belowMs]) => tookMs < belowMs)
}

const longestMs = dayMs

/**
 * The number of seconds within which this part of the payments ended. It assumes that the durations in a column are
 * spread evenly. Null if no payment ended.
 */
export function quantileSeconds(counts: readonly bigint[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0n)
  if (total === 0n) return null
  const wanted = Math.max(1, Math.ceil(Number(total) * part))
  let [passed, lowMs] = [0, 0]
  for (const [index, [, belowMs]] of durations.entries()) {
    const count = Number(counts[index] ?? 0n)
    const highMs = Number.isFinite(belowMs) ? belowMs : longestMs
    if (count > 0 && passed + count >= wanted) {
      return Math.round(lowMs + ((wanted - passed) / count) * (highMs - lowMs)) / 1_000
    }
    passed += count
    lowMs = highMs
  }
  return longestMs / 1_000
}

function isWithin(hour: Date, at: Date): boolean {
  const ms = at.getTime() - hour.getTime()
  return ms >= 0 && ms < hourMs
}

function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs)
}

type FigureRow = {
  tenantId: Uuid
  hour: Date
  kind: FigureKind
  currency: string
  outcome: FigureOutcome
  reason: string
  count: bigint
  amount: bigint
  fees: bigint
  took: bigint[]
}

const summed = ['count', 'amount', 'fees', ...durationColumns]
const given = 'tenant_id, hour, kind, currency, outcome, reason, count, amount, fees'

// The tenants are locked, so no row waits for another transaction. The changing columns are in no index, and half of
// each page is free, so PostgreSQL updates a row within its page. The thirteen duration counts come as one text:
// thirteen more parameters would be a third of the cost of the statement.
const add = statement(
  'figures.add',
  `insert into hourly_stat (lane, ${given}, ${durationColumns.join(', ')})
   select $1, ${given}, ${durationColumns.map((_, index) => `took[${index + 1}]`).join(', ')}
     from (select ${given}, took::bigint[] as took
             from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
                    $9::bigint[], $10::bigint[], $11::text[]) as v (${given}, took) offset 0) as v
   on conflict (lane, tenant_id, hour, kind, currency, outcome, reason) do update
     set ${summed.map((column) => `${column} = hourly_stat.${column} + excluded.${column}`).join(', ')}`,
)

function addFigures(tx: Tx, rows: FigureRow[]): void {
  tx.send(add, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'hour', 'kind', 'currency', 'outcome', 'reason', 'count', 'amount', 'fees'),
    arrayOf(rows, ({ took }) => `{${took.join(',')}}`),
  ])
}

export type StatSpan = { from: Date; to: Date; currency: Currency }

const ofSpan = `lane = $1 and tenant_id = $2 and hour >= $3 and hour < $4 and currency = $5`

/** Caps sums at the largest integer that JSON can show exactly. Test money can reach that. */
const shownSum = (column: string): string => `least(sum(${column}), ${amountMax})::bigint as ${column}`

// Returns every hour or day of the time zone; without events, its row has nulls. The hours are steps of real time, so
// the hour that clocks repeat in autumn has two rows, and the hour that they skip in spring has none.
const series = statement(
  'figures.series',
  `with point as (
     select distinct date_trunc($6, hour, $7) as at
       from generate_series($3::timestamptz, $4::timestamptz - interval '1 ms', interval '1 hour') as hour),
   counted as (
     select date_trunc($6, hour, $7) as at, kind, outcome, sum(count)::bigint as count,
            ${shownSum('amount')}, ${shownSum('fees')}
       from hourly_stat where ${ofSpan} group by 1, 2, 3)
   select at, kind, outcome, count, amount, fees from point full join counted using (at)`,
)

type CountedRow = { kind: FigureKind; outcome: FigureOutcome; count: bigint; amount: bigint; fees: bigint }

export type SeriesRow = { at: Date } & (CountedRow | { kind: null })

export function readSeries(
  db: Queryable,
  tenant: Tenant,
  { from, to, currency }: StatSpan,
  { by, zone }: { by: 'hour' | 'day'; zone: string },
): Promise<SeriesRow[]> {
  return db.query<SeriesRow>(series, [tenant.lane, tenant.id, from, to, currency, by, zone])
}

const sums = durationColumns.map((column) => `coalesce(sum(${column}), 0)::bigint`).join(', ')

const took = statement(
  'figures.took',
  `select array[${sums}]::text[] as counts from hourly_stat
    where ${ofSpan} and outcome = 'succeeded' and kind <> 'deposit'`,
)

export async function readDurations(
  db: Queryable,
  tenant: Tenant,
  { from, to, currency }: StatSpan,
): Promise<bigint[]> {
  const [row] = await db.query<{ counts: string[] }>(took, [tenant.lane, tenant.id, from, to, currency])
  return (row?.counts ?? []).map(BigInt)
}

const still = (column: string): string =>
  `sum(case when outcome in ('success_undone', 'failure_undone') then -${column} else ${column} end)`

const reasons = statement(
  'figures.reasons',
  `select kind, reason, ${still('count')}::bigint as count from hourly_stat
    where ${ofSpan} and outcome in ('failed', 'failure_undone') and kind <> 'deposit'
    group by kind, reason having ${still('count')} > 0`,
)

export type FailureCount = { kind: PaymentFigureKind; reason: string; count: bigint }

/** The result is small: there are only as many reasons as the rails define. */
export function readReasons(db: Queryable, tenant: Tenant, { from, to, currency }: StatSpan): Promise<FailureCount[]> {
  return db.query(reasons, [tenant.lane, tenant.id, from, to, currency])
}

/** Selects payments and deposits that ended in a period and still have that end. */
export type EndedQuestion = {
  from: Date
  to: Date
  currency?: Currency | undefined
  kinds: readonly FigureKind[]
  outcomes: readonly EndedOutcome[]
  reason?: string | undefined
}

export type EndedOutcome = 'succeeded' | 'failed' | 'returned'
export type EndedSum = { currency: Currency; count: bigint; amount: Money }

/** The outcomes that are summed for an end. `still` subtracts the undone ones. */
const countedAs: Record<EndedOutcome, FigureOutcome[]> = {
  succeeded: ['succeeded', 'success_undone'],
  failed: ['failed', 'failure_undone'],
  returned: ['returned'],
}

const endedSums = statement(
  'figures.ended_sums',
  `select currency, ${still('count')}::bigint as count, least(${still('amount')}, ${amountMax})::bigint as amount
     from hourly_stat
    where lane = $1 and tenant_id = $2 and hour >= $3 and hour < $4 and kind = any($5) and outcome = any($6)
      and ($7::text is null or currency = $7) and ($8::text is null or reason = $8)
    group by currency having ${still('count')} > 0 order by currency`,
)

/** Takes 7 ms for three months of a busy business. */
export function readEndedSums(
  db: Queryable,
  tenant: Tenant,
  { from, to, currency, kinds, outcomes, reason }: EndedQuestion,
): Promise<EndedSum[]> {
  const counted = outcomes.flatMap((outcome) => countedAs[outcome])
  return db.query(endedSums, [tenant.lane, tenant.id, from, to, kinds, counted, currency ?? null, reason ?? null])
}

/**
 * Returns a function that tells a search whether it has found all `counted` payments or deposits. Records with an
 * ordinal of at most `olderThan` were made before the period. The sums are read again at the end, because a record that
 * ended during the search is found too and would otherwise count for an older one that is not found yet.
 */
export function foundAllOf(
  counted: readonly EndedSum[] | undefined,
  countAgain: () => Promise<readonly EndedSum[] | undefined>,
  olderThan: bigint | undefined,
): (at: bigint, found: number) => Promise<boolean> {
  const numberOf = (ends: readonly EndedSum[]): number => ends.reduce((number, { count }) => number + Number(count), 0)
  return async (at, found) => {
    if (counted === undefined || olderThan === undefined || at > olderThan || found < numberOf(counted)) return false
    return found >= numberOf((await countAgain()) ?? counted)
  }
}

export type HourEnded = { hour: Date; succeeded: number; failed: number; deposits: number }

// Reads the index hourly_stat_of_hour: a few rows per active tenant and hour.
const ended = statement(
  'figures.ended',
  `select hour,
     coalesce(sum(count) filter (where outcome = 'succeeded' and kind <> 'deposit'), 0)::int as succeeded,
     coalesce(sum(count) filter (where outcome = 'failed' and kind <> 'deposit'), 0)::int as failed,
     coalesce(sum(count) filter (where outcome = 'succeeded' and kind = 'deposit'), 0)::int as deposits
   from hourly_stat where lane = $1 and hour is not null and hour >= $2 group by hour`,
)

export function readEnded(db: Queryable, lane: number, from: Date): Promise<HourEnded[]> {
  return db.query<HourEnded>(ended, [lane, from])
}

/** The transaction must hold the lock of the tenant. */
export function countFigure(tx: Tx, happening: Happening): void {
  const { amount, fee = 0n, tookMs } = happening
  const row = rowOf(gatheredIn(tx), happening)
  row.count += 1n
  row.amount += amount
  row.fees += fee
  if (tookMs === undefined) return
  const index = durationIndex(tookMs)
  row.took[index] = (row.took[index] ?? 0n) + 1n
}

type GatheredStats = { rows: Map<string, FigureRow>; last: FigureRow | undefined }

/**
 * Most items of a batch count in the same row as the item before. That row is found without building a key: 0.1 µs
 * instead of 1 µs.
 */
function rowOf(gathered: GatheredStats, { tenantId, kind, currency, outcome, reason = '', at }: Happening): FigureRow {
  const { rows, last } = gathered
  if (
    last !== undefined &&
    last.tenantId === tenantId &&
    last.outcome === outcome &&
    last.kind === kind &&
    last.reason === reason &&
    last.currency === currency &&
    isWithin(last.hour, at)
  )
    return last
  const hour = hourOf(at)
  const name = `${tenantId} ${hour.getTime()} ${kind} ${currency} ${outcome} ${reason}`
  const nothing = { count: 0n, amount: 0n, fees: 0n, took: durations.map(() => 0n) }
  const row = rows.get(name) ?? { tenantId, hour, kind, currency, outcome, reason, ...nothing }
  rows.set(name, row)
  return (gathered.last = row)
}

const key = Symbol('figures of this transaction')

function gatheredIn(tx: Tx): GatheredStats {
  return tx.shared(key, () => {
    const gathered: GatheredStats = { rows: new Map(), last: undefined }
    tx.beforeCommit(() => addFigures(tx, [...gathered.rows.values()]))
    tx.afterCommit(() => tellWatchers(gathered.rows.values()))
    return gathered
  })
}

// Notifies the open pages of this process of new stats. The pages find the changes of other processes by polling.

type Watcher = (tenantIds: ReadonlySet<Uuid>) => void

const watchers = new Set<Watcher>()

export function watchFigures(watcher: Watcher): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function tellWatchers(rows: Iterable<{ tenantId: Uuid }>): void {
  if (watchers.size === 0) return
  const tenantIds = new Set([...rows].map(({ tenantId }) => tenantId))
  for (const watcher of watchers) watcher(tenantIds)
}
