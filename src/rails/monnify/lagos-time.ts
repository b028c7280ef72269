// Monnify writes times in two ways and without their zone, which is taken to be that of Lagos: an hour before UTC, all year.

import { lagosOffsetMs } from '#base/durations.ts'

const byDay = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d(?:\.\d{1,3})?)$/
const byHalf =
  /^(?<day>\d\d)\/(?<month>\d\d)\/(?<year>\d{4}) (?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d)(?: (?<half>[AP]M))?$/

/** As Monnify takes it: `2026-11-20 10:00:00`. */
export function lagosTextOf(ms: number): string {
  return new Date(ms + lagosOffsetMs).toISOString().slice(0, 19).replace('T', ' ')
}

/** Undefined: it is no time. */
export function lagosTimeOf(text: string): number | undefined {
  const { year, month, day, hour, minute, second, half } = (byDay.exec(text) ?? byHalf.exec(text))?.groups ?? {}
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'PM' ? 12 : 0)
  const ms = Date.parse(`${year}-${month}-${day}T${String(hours).padStart(2, '0')}:${minute}:${second}+01:00`)
  return Number.isNaN(ms) ? undefined : ms
}

const withZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/

/** Lists have a third way: ISO 8601, with its zone. */
export function listedTimeOf(text: string): number | undefined {
  return withZone.test(text) ? Date.parse(text) : lagosTimeOf(text)
}
