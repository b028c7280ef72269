// Reads stats for a period of whole hours: totals, and sums per hour or day.

import type { Context, Tenant } from '#platform/context.ts'
import { add, negate, toMoney, type Money } from '#platform/money.ts'
import {
  type FailureCount,
  quantileSeconds,
  readDurations,
  readReasons,
  readSeries,
  type SeriesRow,
  type StatSpan,
} from './stats.ts'

export type StatSum = { count: number; amount: Money }

export type Totals = {
  in: StatSum
  /** Payouts that succeeded in this period and have not been returned. */
  out: StatSum
  /** The bank transfers in `out`. The other payouts went to wallets. */
  outByBank: StatSum
  /** Payouts that were returned in this period, whenever they had succeeded. */
  returned: StatSum
  returnedByBank: StatSum
  fees: bigint
  failed: number
  failedByBank: number
  /** Of the payouts that ended in this period, the share whose last end is a success. */
  successRate: number | null
  collections: { succeeded: number; failed: number }
  medianSeconds: number | null
  p95Seconds: number | null
}

/**
 * `out`, `succeeded` and `failed` leave out payments that did not keep this end: payouts that were returned later, and
 * collections that were paid after they had expired.
 */
export type SeriesPoint = { at: Date; in: Money; out: Money; returned: Money; succeeded: number; failed: number }

export type Figures = {
  totals: Totals
  series: SeriesPoint[]
  failureReasons: { kind: FailureCount['kind']; reason: string; count: number }[]
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
      .map(({ kind, reason, count }) => ({ kind, reason, count: Number(count) }))
      .toSorted((left, right) => right.count - left.count),
  }
}

type SeriesStat = Exclude<SeriesRow, { kind: null }>
type StatTest = (row: SeriesStat) => boolean

const isOfBank: StatTest = ({ kind }) => kind === 'bank_transfer'
const isPayout: StatTest = (row) => isOfBank(row) || row.kind === 'momo_transfer'
const isCollection: StatTest = ({ kind }) => kind === 'momo_collection'
const isPayment: StatTest = ({ kind }) => kind !== 'deposit'
const isInflow: StatTest = (row) => isCollection(row) || !isPayment(row)

function createSums(rows: SeriesStat[]) {
  const of = (outcome: SeriesStat['outcome'], which: StatTest): StatSum =>
    sumOf(rows.filter((row) => row.outcome === outcome && which(row)))
  const less = (counted: StatSum, undone: StatSum): StatSum => ({
    count: counted.count - undone.count,
    amount: add(counted.amount, negate(undone.amount)),
  })
  return {
    succeeded: (which: StatTest) => less(of('succeeded', which), of('success_undone', which)),
    failed: (which: StatTest) => less(of('failed', which), of('failure_undone', which)),
    returned: (which: StatTest) => of('returned', which),
  }
}

function totalsOf(points: SeriesRow[], took: bigint[]): Totals {
  const rows = countedOf(points)
  const { succeeded, failed, returned } = createSums(rows)
  const [out, back, wrong] = [succeeded(isPayout), returned(isPayout), failed(isPayout)]
  const ended = out.count + back.count + wrong.count
  return {
    in: succeeded(isInflow),
    out,
    outByBank: succeeded(isOfBank),
    returned: back,
    returnedByBank: returned(isOfBank),
    fees: rows.reduce((sum, { outcome, fees }) => (outcome === 'returned' ? sum - fees : sum + fees), 0n),
    failed: wrong.count,
    failedByBank: failed(isOfBank).count,
    successRate: ended === 0 ? null : out.count / ended,
    collections: { succeeded: succeeded(isCollection).count, failed: failed(isCollection).count },
    medianSeconds: quantileSeconds(took, 0.5),
    p95Seconds: quantileSeconds(took, 0.95),
  }
}

function seriesOf(rows: SeriesRow[]): SeriesPoint[] {
  const points = [...Map.groupBy(rows, ({ at }) => at.getTime())].map(([atMs, some]) => {
    const { succeeded, failed, returned } = createSums(countedOf(some))
    return {
      at: new Date(atMs),
      in: succeeded(isInflow).amount,
      out: succeeded(isPayout).amount,
      returned: returned(isPayout).amount,
      succeeded: succeeded(isPayment).count,
      failed: failed(isPayment).count,
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
