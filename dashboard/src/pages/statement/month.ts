// A month of the statement, such as `2026-11`, as its zone counts it.

import { dateIn, endOfDay, startOfDay } from '#format/time.ts'

const names = 'January February March April May June July August September October November December'.split(' ')

export function monthAt(ms: number, zone: string): string {
  return dateIn(zone, ms).slice(0, 7)
}

/** What was typed into an address may be no month. */
export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text)
}

/** `stepMonth('2026-01', -1)` is `2025-12`. */
export function stepMonth(month: string, by: number): string {
  const [year, number] = numbersOf(month)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}

/** The first and the last instant of the month. */
export function rangeOf(month: string, zone: string): { from: string; to: string } {
  const [year, number] = numbersOf(month)
  const lastDay = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
  return { from: startOfDay(`${month}-01`, zone), to: endOfDay(lastDay, zone) }
}

/** `November 2026`. */
export function nameMonth(month: string): string {
  const [year, number] = numbersOf(month)
  return `${names[number - 1] ?? ''} ${year}`
}

function numbersOf(month: string): [number, number] {
  return [Number(month.slice(0, 4)), Number(month.slice(5, 7))]
}
