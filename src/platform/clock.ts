// Modules read the time from a `Clock`, so that tests can stop it. In the service that is the time of the database
// (db/database-clock.ts), so the machines' clocks may differ. Also formats times as ISO text.

import { dayMs } from './durations.ts'

export type Clock = {
  /** Milliseconds since 1970. The clock may be wrong or set, also backward. */
  now(): number
  /** Milliseconds since an arbitrary moment in this process. It never goes back, also when the clock is set. */
  monotonicMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() }

const datesKept = 1024
const keptDays = new Float64Array(datesKept).fill(Number.NaN)
const keptDates = Array.from({ length: datesKept }, () => '')
const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const thousandths = Array.from({ length: 1_000 }, (_, value) => `.${String(value).padStart(3, '0')}Z`)

/** The same text as `toISOString`, in a third of the time. A list of 20 payments contains 60 timestamps. */
export function isoTime(at: Date): string {
  const ms = at.getTime()
  const day = Math.floor(ms / dayMs)
  const place = day & (datesKept - 1)
  // An invalid time has the day NaN, which equals nothing, so `toISOString` throws.
  if (keptDays[place] !== day) {
    keptDates[place] = at.toISOString().slice(0, -timeLength)
    keptDays[place] = day
  }
  const rest = ms - day * dayMs
  const seconds = Math.floor(rest / 1_000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`
  return `${keptDates[place]}${clock}${thousandths[rest % 1_000]}`
}

const timeLength = 'hh:mm:ss.sssZ'.length
