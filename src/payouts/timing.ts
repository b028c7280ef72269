// When a schedule runs. Times are those of Lagos, which is one hour ahead of UTC all year, so that a week always has 168 hours.

import { dayMs, lagosOffsetMs } from '#platform/durations.ts'

export type Timing = {
  repeats: 'never' | 'weekly' | 'monthly'
  /** The day of the month. In a shorter month it is the last day. */
  monthDay: number | null
  firstAt: Date
}

/** Returns the run that follows a run. Undefined: there is none. */
export function runAfter({ repeats, monthDay }: Timing, run: Date): Date | undefined {
  switch (repeats) {
    case 'never':
      return undefined
    case 'weekly':
      return new Date(run.getTime() + 7 * dayMs)
    case 'monthly': {
      const local = new Date(run.getTime() + lagosOffsetMs)
      const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() + 1]
      const timeOfDayMs = local.getTime() % dayMs
      const day = Math.min(monthDay ?? 1, lastDayOf(year, month))
      return new Date(Date.UTC(year, month, day) + timeOfDayMs - lagosOffsetMs)
    }
  }
}

/** `month` counts from 0 and may be 12, which is January of the next year. */
function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}

/** The runs from `next` on that are before `until`. */
export function runsBefore(timing: Timing, next: Date, until: Date): Date[] {
  const runs: Date[] = []
  for (let run: Date | undefined = next; run !== undefined && run < until; run = runAfter(timing, run)) runs.push(run)
  return runs
}

/** The date in Lagos, such as `2026-12-31`. */
export function dateOf(at: Date): string {
  return new Date(at.getTime() + lagosOffsetMs).toISOString().slice(0, 10)
}

/** A date and a time of day in Lagos, such as `2026-12-31` and `09:00`. Undefined: there is no such date. */
export function timeIn(date: string, time: string): Date | undefined {
  const local = new Date(`${date}T${time}:00.000Z`)
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 10) !== date) return undefined
  return new Date(local.getTime() - lagosOffsetMs)
}

export function isLastDayOfMonth(date: string): boolean {
  return new Date(Date.parse(date) + dayMs).getUTCDate() === 1
}
