// Reads stats for a period of whole hours: totals, and values per hour or day.

import type { Context, Tenant } from '#platform/context.ts'
import { add, negate, toMoney, type Money } from '#platform/money.ts'
import { quantileSeconds, readDurations, readReasons, readSeries, type SeriesRow, type StatSpan } from './stats.ts'

export type StatSum = { count: number; amount: Money }

export type Totals = {
  /** Deposits and collections that succeeded. */
  in: StatSum
  /** What left and stayed out: payouts that succeeded, less those that were returned. */
  out: StatSum
  /** The part of it that bank transfers are; the rest are payouts to wallets. */
  outByBank: StatSum
  /** Payouts that had succeeded and were returned. */
  returned: StatSum
  /** Fees charged, minus those refunded with returns. */
  fees: bigint
  /** Payouts that ended. A returned one has not succeeded. */
  succeeded: number
  failed: number
  /** Of the payouts that ended, also those that came back. */
  successRate: number | null
  collections: { succeeded: number; failed: number }
  medianSeconds: number | null
  p95Seconds: number | null
}

/** `out` is what left in this time, also if it came back later. */
export type SeriesPoint = { at: Date; in: Money; out: Money; returned: Money; succeeded: number; failed: number }

export type Figures = {
  totals: Totals
  series: SeriesPoint[]
  failureReasons: { reason: string; count: number }[]
}

export type FiguresQuestion = StatSpan & { by: 'hour' | 'day'; zone: string }

export async function readFigures(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  question: FiguresQuestion,
): Promise<Figures> {
  const [rows, took, reasons] = await Promise.all([
    readSeries(db, tenant, question, question),
    readDurations(db, tenant, question),
    readReasons(db, tenant, question),
  ])
  return {
    totals: totalsOf(rows, took),
    series: seriesOf(rows),
    failureReasons: reasons
      .map(({ reason, count }) => ({ reason, count: Number(count) }))
      .toSorted((left, right) => right.count - left.count),
  }
}

type SeriesStat = Exclude<SeriesRow, { kind: null }>

const comesIn = ({ kind, outcome }: SeriesStat): boolean =>
  outcome === 'succeeded' && (kind === 'deposit' || kind === 'momo_collection')
const isPayout = ({ kind }: SeriesStat): boolean => kind === 'bank_transfer' || kind === 'momo_transfer'
const goesOut = (row: SeriesStat): boolean => row.outcome === 'succeeded' && isPayout(row)
const comesBack = ({ outcome }: SeriesStat): boolean => outcome === 'returned'

function totalsOf(points: SeriesRow[], took: bigint[]): Totals {
  const rows = countedOf(points)
  const of = (which: (row: SeriesStat) => boolean): StatSum => sumOf(rows.filter(which))
  const stayedOut = (which: (row: SeriesStat) => boolean): StatSum => {
    const [left, back] = [of((row) => goesOut(row) && which(row)), of((row) => comesBack(row) && which(row))]
    return { count: left.count - back.count, amount: add(left.amount, negate(back.amount)) }
  }
  const collected = (outcome: SeriesStat['outcome']): number =>
    of((row) => row.kind === 'momo_collection' && row.outcome === outcome).count
  const [out, returned] = [stayedOut(isPayout), of(comesBack)]
  // What came back may have left in an earlier period.
  const succeeded = Math.max(out.count, 0)
  const failed = of((row) => isPayout(row) && row.outcome === 'failed').count
  const ended = succeeded + returned.count + failed
  return {
    in: of(comesIn),
    out,
    outByBank: stayedOut(({ kind }) => kind === 'bank_transfer'),
    returned,
    fees: rows.reduce((sum, { outcome, fees }) => (outcome === 'returned' ? sum - fees : sum + fees), 0n),
    succeeded,
    failed,
    successRate: ended === 0 ? null : succeeded / ended,
    collections: { succeeded: collected('succeeded'), failed: collected('failed') },
    medianSeconds: quantileSeconds(took, 0.5),
    p95Seconds: quantileSeconds(took, 0.95),
  }
}

function seriesOf(rows: SeriesRow[]): SeriesPoint[] {
  const points = [...Map.groupBy(rows, ({ at }) => at.getTime())].map(([atMs, some]) => {
    const all = countedOf(some)
    return {
      at: new Date(atMs),
      in: sumOf(all.filter(comesIn)).amount,
      out: sumOf(all.filter(goesOut)).amount,
      returned: sumOf(all.filter(comesBack)).amount,
      succeeded: sumOf(all.filter(({ kind, outcome }) => kind !== 'deposit' && outcome === 'succeeded')).count,
      failed: sumOf(all.filter(({ kind, outcome }) => kind !== 'deposit' && outcome === 'failed')).count,
    }
  })
  return points.toSorted((left, right) => left.at.getTime() - right.at.getTime())
}

function countedOf(rows: SeriesRow[]): SeriesStat[] {
  return rows.filter((row): row is SeriesStat => row.kind !== null)
}

function sumOf(rows: SeriesStat[]): StatSum {
  const count = rows.reduce((sum, row) => sum + row.count, 0n)
  return { count: Number(count), amount: toMoney(rows.reduce((sum, row) => sum + row.amount, 0n)) }
}
