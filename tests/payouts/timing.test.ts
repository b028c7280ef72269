// When schedules run: property tests against the calendar of Lagos.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLastDayOfMonth, runAfter, runsBefore, timeIn, dateOf, type Timing } from '#payouts/schedules.ts'

const parts = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

function inLagos(at: Date): Record<string, string> {
  return Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]))
}

const days = fc.date({ min: new Date('2026-01-01'), max: new Date('2060-12-31'), noInvalidDate: true })
const minutes = fc.integer({ min: 0, max: 1439 })
const firstRun = fc.tuple(days, minutes).map(([day, minute]) => {
  const date = day.toISOString().slice(0, 10)
  const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
  return timeIn(date, time) ?? day
})

function follow(timing: Timing, count: number): Date[] {
  const runs = [timing.firstAt]
  while (runs.length < count) {
    const next = runAfter(timing, runs.at(-1) ?? timing.firstAt)
    if (next === undefined) break
    runs.push(next)
  }
  return runs
}

it('runs at the same time of day in Lagos, on the same weekday, every week', () => {
  fc.assert(
    fc.property(firstRun, (firstAt) => {
      const [first, ...others] = follow({ repeats: 'weekly', monthDay: null, firstAt }, 60).map(inLagos)
      for (const { weekday, hour, minute } of others)
        expect({ weekday, hour, minute }).toEqual({
          weekday: first?.['weekday'],
          hour: first?.['hour'],
          minute: first?.['minute'],
        })
    }),
  )
})

it('runs once in every month, on its day or on the last day of a shorter month', () => {
  fc.assert(
    fc.property(firstRun, fc.boolean(), (firstAt, isLast) => {
      const first = inLagos(firstAt)
      const monthDay = isLast && isLastDayOfMonth(dateOf(firstAt)) ? 31 : Number(first['day'])
      const runs = follow({ repeats: 'monthly', monthDay, firstAt }, 40)
      for (const [index, at] of runs.entries()) {
        const { year, month, day, hour, minute } = inLagos(at)
        const months = Number(first['year']) * 12 + Number(first['month']) - 1 + index
        expect([Number(year), Number(month)]).toEqual([Math.floor(months / 12), (months % 12) + 1])
        expect([hour, minute]).toEqual([first['hour'], first['minute']])
        const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
        expect(Number(day)).toBe(Math.min(monthDay, last))
      }
    }),
  )
})

it('pays on 31 January, on the last day of February and on 31 March again', () => {
  const firstAt = timeIn('2027-01-31', '00:30') ?? new Date(0)
  const dates = follow({ repeats: 'monthly', monthDay: 31, firstAt }, 5).map(dateOf)
  expect(dates).toEqual(['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31'])
})

it('knows leap years, and dates that do not exist', () => {
  const firstAt = timeIn('2028-01-30', '23:59') ?? new Date(0)
  expect(follow({ repeats: 'monthly', monthDay: 30, firstAt }, 2).map(dateOf)).toEqual(['2028-01-30', '2028-02-29'])
  expect(timeIn('2027-02-29', '09:00')).toBeUndefined()
  expect(timeIn('2027-13-01', '09:00')).toBeUndefined()
  expect(timeIn('2026-12-31', '09:00')?.toISOString()).toBe('2026-12-31T08:00:00.000Z')
})

it('lists the runs before a time', () => {
  const firstAt = timeIn('2026-12-01', '09:00') ?? new Date(0)
  const until = timeIn('2026-12-15', '09:00') ?? new Date(0)
  expect(runsBefore({ repeats: 'weekly', monthDay: null, firstAt }, firstAt, until).map(dateOf)).toEqual([
    '2026-12-01',
    '2026-12-08',
  ])
  expect(runsBefore({ repeats: 'never', monthDay: null, firstAt }, firstAt, until)).toEqual([firstAt])
})
