// Modules read the time from a `Clock`, so that tests can stop it. Also limits how long a caller waits for work, and
// formats times as ISO text.

import { dayMs } from './durations.ts'

export type Clock = {
  /** Milliseconds since 1970. The clock may be wrong or set, also backward. */
  now(): number
  /** Milliseconds since an arbitrary moment in this process. It never goes back, also when the clock is set. */
  monotonicMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() }

/**
 * Resolves with true when the work is done, or with false after `limitMs`, while the work goes on. Rejects if the work
 * fails before `limitMs`.
 */
export function finishesWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  // `Promise.race` takes 1.8 µs instead of 0.8 µs, and each payment runs this twice.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, limitMs, false)
    const end = (answer: () => void): void => {
      clearTimeout(timer)
      answer()
    }
    work.then(
      () => end(() => resolve(true)),
      (error: Error) => end(() => reject(error)),
    )
  })
}

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
