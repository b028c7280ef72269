// The positions of points and grid lines of the chart. The axis begins at zero and ends at a round amount.

import type { FigurePoint } from '#api/home.ts'

const left = 56
const right = 56
const top = 10
const bottom = 24
const gridLines = 4

export type Layout = { ticks: number[]; xOf: (index: number) => number; yOf: (kobo: number) => number }

export function layOut(series: readonly FigurePoint[], { width, height }: { width: number; height: number }): Layout {
  const highest = Math.max(...series.map((point) => Math.max(point.in, point.out, point.returned)))
  const step = roundStep(highest / gridLines)
  const whole = step * gridLines
  const intervals = Math.max(series.length - 1, 1)
  return {
    ticks: Array.from({ length: gridLines + 1 }, (_, line) => line * step),
    xOf: (index) => left + ((width - left - right) * index) / intervals,
    yOf: (kobo) => height - bottom - ((height - top - bottom) * kobo) / whole,
  }
}

/** The next of 1, 2, 2.5 and 5 times a power of ten; at least 100 minor units, which is one naira. */
function roundStep(step: number): number {
  const atLeast = Math.max(step, 100)
  const power = 10 ** Math.floor(Math.log10(atLeast))
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= atLeast) ?? 10
  return factor * power
}

/** The points with a time label: evenly spaced, as many as fit. */
export function timesAt(count: number, most: number): number[] {
  const step = Math.ceil(count / most)
  return Array.from({ length: Math.ceil(count / step) }, (_, nth) => nth * step)
}
