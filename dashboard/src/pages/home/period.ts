// The four periods of the home page. Each ends with the current hour, so that the query stays the same between renders.
// Each begins at midnight in the screen's time zone, because a figure links to a list, and a list is filtered by whole
// days.

import type { Period } from '#api/home.ts'
import { dateIn, startOfDay, stepDay } from '#format/time.ts'

const hourMs = 3_600_000

export const periods = [
  { value: '1d', label: 'Today', days: 1, by: 'hour' },
  { value: '7d', label: '7 days', days: 7, by: 'day' },
  { value: '30d', label: '30 days', days: 30, by: 'day' },
  { value: '90d', label: '90 days', days: 90, by: 'day' },
] as const

type ShownPeriod = Period & {
  /** The filters of the lists that the figures open. */
  listed: { endedFrom: string; endedTo: string }
}

export function periodOf(value: string | undefined, zone: string, nowMs: number): ShownPeriod {
  const { days, by } = periods.find((period) => period.value === value) ?? periods[1]
  const toMs = (Math.floor(nowMs / hourMs) + 1) * hourMs
  const to = new Date(toMs - 1).toISOString()
  const today = dateIn(zone, nowMs)
  const firstDay = stepDay(today, 1 - days)
  return { from: startOfDay(firstDay, zone), to, by, zone, listed: { endedFrom: firstDay, endedTo: today } }
}

/** `+12 %`, `−3 %`, or words if the previous period had nothing. */
export function compare(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'No change' : 'No data for the period before'
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return 'No change'
  return `${percent > 0 ? '+' : '\u2212'}${Math.abs(percent)} % on the period before`
}
