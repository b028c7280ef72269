// Days, such as `2026-11-23`, and months, such as `2026-11`: as a person types and reads them, in day-month order.

import { dateIn, endOfDay, startOfDay, stepDay } from '#format/time.ts'

const names = 'January February March April May June July August September October November December'.split(' ')

/** True for a day that exists. The text may come from the page's address, which the user can edit. */
export function isDay(text: string): boolean {
  return /^20\d\d-\d\d-\d\d$/.test(text) && dateOf(text.slice(0, 4), text.slice(5, 7), text.slice(8)) === text
}

/** `23 Nov 2026`. The month is a name, because readers may take a number for the day. */
export function sayDay(date: string): string {
  return `${Number(date.slice(8))} ${nameMonth(date.slice(0, 7)).slice(0, 3)} ${date.slice(0, 4)}`
}

/**
 * The day that a person typed: `23 Nov 2026`, `23/11/2026`, `23-11-26`, `2026-11-23`, `23 November`, `today`. Undefined if the
 * text is no day of the years 2000 to 2099. A day without a year is of the year of `today`.
 */
export function parseDay(typed: string, today: string): string | undefined {
  const text = typed.trim().toLowerCase()
  const away = ['yesterday', 'today', 'tomorrow'].indexOf(text) - 1
  if (away >= -1) return stepDay(today, away)
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text)
  if (iso !== null) return dateOf(iso[1], iso[2], iso[3])
  const written = /^(\d{1,2})(?:st|nd|rd|th)?[-/. ]*([a-z]{3,}|(?<=[-/. ])\d{1,2})(?:[-/., ]+(\d{4}|\d{2}))?$/.exec(
    text,
  )
  const [, day, month = '', year = today.slice(0, 4)] = written ?? []
  return dateOf(year.padStart(4, '20'), /^\d/.test(month) ? month : numberOf(month), day)
}

/** `nov` and `november` are `11`; a word that begins no month is `0`. */
function numberOf(word: string): string {
  return String(names.findIndex((name) => word !== '' && name.toLowerCase().startsWith(word)) + 1)
}

/** Undefined where the calendar has no such day, as on 31 February. */
function dateOf(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const ms = Date.parse(`${text}T00:00:00Z`)
  return year.startsWith('20') && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text) ? text : undefined
}

export function rangesOf(today: string): Readonly<Record<string, { from: string; to: string }>> {
  const yesterday = stepDay(today, -1)
  const firstOfMonth = `${today.slice(0, 7)}-01`
  const lastOfMonthBefore = stepDay(firstOfMonth, -1)
  return {
    Today: { from: today, to: today },
    Yesterday: { from: yesterday, to: yesterday },
    'Last 7 days': { from: stepDay(today, -6), to: today },
    'This month': { from: firstOfMonth, to: today },
    'Last month': { from: `${lastOfMonthBefore.slice(0, 7)}-01`, to: lastOfMonthBefore },
  }
}

/** The same day of another month, or the last day of that month if it is shorter. */
export function stepDayByMonths(date: string, months: number): string {
  const month = stepMonth(date.slice(0, 7), months)
  const last = stepDay(`${stepMonth(month, 1)}-01`, -1)
  const same = `${month}${date.slice(7)}`
  return same < last ? same : last
}

/** The weeks of a month, from Monday to Sunday. The first and the last may have days of the neighboring months. */
export function weeksOf(month: string): string[][] {
  const first = `${month}-01`
  const monday = stepDay(first, -weekdayOf(first))
  const weeks: string[][] = []
  for (let start = monday; start.slice(0, 7) <= month; start = stepDay(start, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, at) => stepDay(start, at)))
  }
  return weeks
}

/** 0 on Monday, the first day of the week in Lagos. */
export function weekdayOf(date: string): number {
  return (new Date(date).getUTCDay() + 6) % 7
}

export function monthAt(ms: number, zone: string): string {
  return dateIn(zone, ms).slice(0, 7)
}

/** True for a month of the years 2000 to 2099. The text may come from the page's address, which the user can edit. */
export function isMonth(text: string): boolean {
  return /^20\d\d-(0[1-9]|1[0-2])$/.test(text)
}

/** `stepMonth('2026-01', -1)` is `2025-12`. */
export function stepMonth(month: string, by: number): string {
  const [year, number] = numbersOf(month)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}

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
