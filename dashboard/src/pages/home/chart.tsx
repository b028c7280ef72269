// Two lines over time: money in, whole; money out, dashed, since their colours differ little. Each is named at its end.
// The last interval has not ended and is dotted.

import { useSyncExternalStore } from 'react'
import type { FigurePoint } from '#api/home.ts'
import { formatCompactMoney } from '#format/money.ts'
import { useCurrency } from '#ui/values.tsx'
import styles from './home.module.css'
import { layOut } from './scale.ts'

const height = 200

/** Of the drawing: a phone gets a narrower one, not a smaller one, also when it is turned. */
const [narrowWidth, usualWidth] = [360, 1000]
const narrowScreen = window.matchMedia('(width < 900px)')

function useWidth(): number {
  return useSyncExternalStore(watchScreen, () => (narrowScreen.matches ? narrowWidth : usualWidth))
}

function watchScreen(onChange: () => void): () => void {
  narrowScreen.addEventListener('change', onChange)
  return () => narrowScreen.removeEventListener('change', onChange)
}

export function Chart({ series, label }: { series: FigurePoint[]; label: (at: string) => string }) {
  const currency = useCurrency()
  const width = useWidth()
  const [first] = series
  const last = series.at(-1)
  if (first === undefined || last === undefined) return null
  const { ticks, xOf, yOf } = layOut(series, { width, height })
  const line = (points: FigurePoint[], from: number, valueOf: (point: FigurePoint) => number): string =>
    points.map((point, index) => `${xOf(from + index).toFixed(1)},${yOf(valueOf(point)).toFixed(1)}`).join(' ')
  const end = series.length - 1
  // Names that would stand on each other are moved apart.
  const [inY, outY] = [yOf(last.in), yOf(last.out)]
  const apart = Math.abs(inY - outY) < 14 ? 7 : 0
  const drawn = (valueOf: (point: FigurePoint) => number, className: string | undefined) => (
    <>
      <polyline className={className} points={line(series.slice(0, -1), 0, valueOf)} />
      <polyline className={`${className} ${styles.unfinished}`} points={line(series.slice(-2), end - 1, valueOf)} />
    </>
  )
  return (
    <svg
      className={styles.chart}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Money in and out from ${label(first.at)} to ${label(last.at)}; the table behind the button has the numbers.`}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line className={styles.grid} x1={56} x2={width - 40} y1={yOf(tick)} y2={yOf(tick)} />
          <text className={styles.axis} x={48} y={yOf(tick) + 4} textAnchor="end">
            {formatCompactMoney(tick, currency)}
          </text>
        </g>
      ))}
      {drawn((point) => point.in, styles.in)}
      {drawn((point) => point.out, styles.out)}
      <text className={styles.inWord} x={width - 34} y={inY + 4 + (inY <= outY ? -apart : apart)}>
        In
      </text>
      <text className={styles.outWord} x={width - 34} y={outY + 4 + (inY <= outY ? apart : -apart)}>
        Out
      </text>
      <text className={styles.axis} x={56} y={height - 2}>
        {label(first.at)}
      </text>
      <text className={styles.axis} x={width - 40} y={height - 2} textAnchor="end">
        {label(last.at)}
      </text>
    </svg>
  )
}
