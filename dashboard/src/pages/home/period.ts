// The four periods of the home page. Each ends now, at a whole hour, so that one question is asked and not one a render.

import type { Period } from '#api/home.ts'

const hourMs = 3_600_000

export const periods = [
  { value: '24h', label: '24 hours', hours: 24, by: 'hour' },
  { value: '7d', label: '7 days', hours: 7 * 24, by: 'hour' },
  { value: '30d', label: '30 days', hours: 30 * 24, by: 'day' },
  { value: '90d', label: '90 days', hours: 90 * 24, by: 'day' },
] as const

export function periodOf(value: string | undefined, nowMs: number): Period {
  const { hours, by } = periods.find((period) => period.value === value) ?? periods[1]
  const toMs = Math.ceil(nowMs / hourMs) * hourMs
  return { from: new Date(toMs - hours * hourMs).toISOString(), to: new Date(toMs - 1).toISOString(), by }
}

/** `+12 %`, `−3 %`, or a word where the period before had nothing. */
export function compare(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'as before' : 'nothing in the period before'
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return 'as in the period before'
  return `${percent > 0 ? '+' : '\u2212'}${Math.abs(percent)} % on the period before`
}
