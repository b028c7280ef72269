// Reads stats for a period of whole hours: totals, and values per hour or day.

import type { Context, Tenant } from '#platform/context.ts'
import { toMoney, type Money } from '#platform/money.ts'
import { quantileSeconds, readDurations, readReasons, readSeries, type SeriesRow, type StatSpan } from './stats.ts'

export type StatSum = { count: number; amount: Money }

export type Totals = {
  /** Deposits and collections that succeeded. */
  in: StatSum
  /** Transfers that succeeded. */
  out: StatSum
  /** Transfers that had succeeded and were returned. */
  returned: StatSum
  /** Fees charged, minus those refunded with returns. */
  fees: bigint
  /** Payments that ended; deposits do not count, because the business did not attempt them. */
  succeeded: number
  failed: number
  successRate: number | null
  medianSeconds: number | null
  p95Seconds: number | null
}

export type SeriesPoint = { at: Date; in: Money; out: Money; succeeded: number; failed: number }

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
const goesOut = ({ kind, outcome }: SeriesStat): boolean =>
  outcome === 'succeeded' && (kind === 'bank_transfer' || kind === 'momo_transfer')
const isPayment = ({ kind }: SeriesStat): boolean => kind !== 'deposit'

function totalsOf(points: SeriesRow[], took: bigint[]): Totals {
  const rows = countedOf(points)
  const of = (which: (row: SeriesStat) => boolean): StatSum => sumOf(rows.filter(which))
  const succeeded = of((row) => isPayment(row) && row.outcome === 'succeeded').count
  const failed = of((row) => isPayment(row) && row.outcome === 'failed').count
  const ended = succeeded + failed
  return {
    in: of(comesIn),
    out: of(goesOut),
    returned: of(({ outcome }) => outcome === 'returned'),
    fees: rows.reduce((sum, { outcome, fees }) => (outcome === 'returned' ? sum - fees : sum + fees), 0n),
    succeeded,
    failed,
    successRate: ended === 0 ? null : succeeded / ended,
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
      succeeded: sumOf(all.filter((row) => isPayment(row) && row.outcome === 'succeeded')).count,
      failed: sumOf(all.filter((row) => isPayment(row) && row.outcome === 'failed')).count,
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
