// Lines over time. Colors differ little, so each kind of money has its own stroke: incoming is solid, outgoing is
// dashed, returned is dotted. A mark on the axis shows where payments failed. Each line is named at its end. The
// pointer shows the values of one interval.

import { useState, useSyncExternalStore, type PointerEvent } from 'react'
import type { FigurePoint } from '#api/home.ts'
import { countOf } from '#format/ids.ts'
import { formatCompactMoney, formatMoney, type Currency } from '#format/money.ts'
import { useCurrency } from '#ui/values.tsx'
import styles from './home.module.css'
import { layOut, timesAt, type Layout } from './scale.ts'

const height = 200

/**
 * The width of the drawing. On a phone the chart is drawn narrower, because a wide one would be scaled down. It changes
 * when the phone is turned.
 */
const [narrowWidth, usualWidth] = [360, 1000]
const narrowScreen = window.matchMedia('(width < 900px)')

function useWidth(): number {
  return useSyncExternalStore(watchScreen, () => (narrowScreen.matches ? narrowWidth : usualWidth))
}

function watchScreen(onChange: () => void): () => void {
  narrowScreen.addEventListener('change', onChange)
  return () => narrowScreen.removeEventListener('change', onChange)
}

type ChartProps = { series: FigurePoint[]; label: (at: string) => string }

export function Chart({ series, label }: ChartProps) {
  const currency = useCurrency()
  const width = useWidth()
  const [shown, setShown] = useState<number>()
  const [first] = series
  const last = series.at(-1)
  if (first === undefined || last === undefined) return null
  const layout = layOut(series, { width, height })
  const { ticks, xOf, yOf } = layout
  const pick = (event: PointerEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - box.left) / box.width) * width
    const distances = series.map((_, index) => Math.abs(xOf(index) - x))
    setShown(distances.indexOf(Math.min(...distances)))
  }
  const point = shown === undefined ? undefined : series[shown]
  return (
    <>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Money in and out from ${label(first.at)} to ${label(last.at)}; the table behind the button has the numbers.`}
        onPointerMove={pick}
        onPointerDown={pick}
        onPointerLeave={() => setShown(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={styles.grid} x1={56} x2={width - 56} y1={yOf(tick)} y2={yOf(tick)} />
            <text className={styles.axis} x={48} y={yOf(tick) + 4} textAnchor="end">
              {formatCompactMoney(tick, currency)}
            </text>
          </g>
        ))}
        {timesAt(series.length, width === narrowWidth ? 3 : 7).map((index) => (
          <text
            key={index}
            className={styles.axis}
            x={xOf(index)}
            y={height - 2}
            textAnchor={index === 0 ? 'start' : 'middle'}
          >
            {label(series[index]?.at ?? '')}
          </text>
        ))}
        <Lines series={series} layout={layout} width={width} />
        {shown === undefined ? null : (
          <line className={styles.pointed} x1={xOf(shown)} x2={xOf(shown)} y1={yOf(ticks.at(-1) ?? 0)} y2={yOf(0)} />
        )}
      </svg>
      <p className={styles.values} aria-hidden>
        {point === undefined ? 'Point at the chart to see amounts.' : sayPoint(point, label(point.at), currency)}
      </p>
    </>
  )
}

function sayPoint({ in: came, out, returned, failed }: FigurePoint, time: string, currency: Currency): string {
  const amounts = Object.entries({ In: came, Out: out, Returned: returned })
  const parts = amounts.map(([name, amount]) => `${name} ${formatMoney(amount, currency)}`)
  return [time, ...parts, `${countOf(failed, 'payment')} failed`].join(' · ')
}

const drawn = [
  { name: 'In', valueOf: (point: FigurePoint) => point.in, line: styles.in, word: styles.inWord },
  { name: 'Out', valueOf: (point: FigurePoint) => point.out, line: styles.out, word: styles.outWord },
  { name: 'Returned', valueOf: (point: FigurePoint) => point.returned, line: styles.back, word: styles.backWord },
]

type LinesProps = { series: FigurePoint[]; layout: Layout; width: number }

/** The last interval has not ended, so its line is thin. Labels that would overlap are moved apart. */
function Lines({ series, layout: { xOf, yOf }, width }: LinesProps) {
  const end = series.length - 1
  const present = drawn.filter(({ name, valueOf }) => name !== 'Returned' || series.some((point) => valueOf(point) > 0))
  const words = present
    .map((line) => ({ ...line, y: yOf(line.valueOf(series[end] as FigurePoint)) }))
    .toSorted((left, right) => right.y - left.y)
  let lowest = Number.POSITIVE_INFINITY
  return (
    <>
      {present.map(({ name, valueOf, line }) => {
        const points = series.map((point, index) => `${xOf(index).toFixed(1)},${yOf(valueOf(point)).toFixed(1)}`)
        return (
          <g key={name}>
            <polyline className={line} points={points.slice(0, -1).join(' ')} />
            <polyline className={`${line} ${styles.unfinished}`} points={points.slice(-2).join(' ')} />
          </g>
        )
      })}
      {words.map(({ name, word, y }) => {
        lowest = Math.min(y + 4, lowest - 14)
        return (
          <text key={name} className={word} x={width - 50} y={lowest}>
            {name}
          </text>
        )
      })}
      {series.map(({ at, failed }, index) =>
        failed === 0 ? null : <circle key={at} className={styles.failed} cx={xOf(index)} cy={yOf(0)} r={3} />,
      )}
    </>
  )
}
