// Times on screen are of one zone. What is sent is always an instant, and a Lagos day begins at 23:00 UTC.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDay, parseDay, rangesOf, sayDay, stepDayByMonths, weekdayOf, weeksOf } from '#dashboard/format/days.ts'
import {
  dateIn,
  endOfDay,
  formatAgo,
  formatDuration,
  formatTime,
  nameZone,
  startOfDay,
  stepDay,
} from '#dashboard/format/time.ts'

const lagos = 'Africa/Lagos'
const nowMs = Date.parse('2026-11-22T12:00:00Z')

describe('a time', () => {
  it('is shown in the zone, with the year when it is another', () => {
    expect(formatTime('2026-11-21T22:52:13.000Z', lagos, nowMs)).toBe('21 Nov, 23:52:13')
    expect(formatTime('2026-11-21T23:52:13.000Z', lagos, nowMs)).toBe('22 Nov, 00:52:13')
    expect(formatTime('2025-12-31T23:00:00.000Z', lagos, nowMs)).toBe('1 Jan, 00:00:00')
    expect(formatTime('2025-12-31T22:59:59.000Z', lagos, nowMs)).toBe('31 Dec 2025, 23:59:59')
  })

  it('is shown relative to now', () => {
    expect(formatAgo('2026-11-22T11:57:00Z', nowMs)).toBe('3 minutes ago')
    expect(formatAgo('2026-11-22T14:00:00Z', nowMs)).toBe('in 2 hours')
    expect(formatAgo('2026-11-22T11:59:58Z', nowMs)).toBe('just now')
  })

  it('has a zone with a name', () => {
    expect(nameZone(lagos, nowMs)).toBe('WAT')
    expect(nameZone('UTC', nowMs)).toBe('UTC')
  })
})

describe('a day', () => {
  it('of Lagos begins at 23:00 UTC', () => {
    expect(startOfDay('2026-11-22', lagos)).toBe('2026-11-21T23:00:00.000Z')
    expect(endOfDay('2026-11-22', lagos)).toBe('2026-11-22T22:59:59.999Z')
  })

  it('begins where its zone says, also on the day of a change of clocks', () => {
    expect(startOfDay('2026-03-29', 'Europe/London')).toBe('2026-03-29T00:00:00.000Z')
    expect(endOfDay('2026-03-29', 'Europe/London')).toBe('2026-03-29T22:59:59.999Z')
    expect(startOfDay('2026-10-25', 'Europe/London')).toBe('2026-10-24T23:00:00.000Z')
  })

  it('holds each of its instants', () => {
    const zone = fc.constantFrom(lagos, 'UTC', 'Europe/London', 'America/New_York', 'Asia/Kolkata')
    const instant = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2030-01-01') })
    fc.assert(
      fc.property(zone, instant, (name, ms) => {
        const day = dateIn(name, ms)
        expect(Date.parse(startOfDay(day, name))).toBeLessThanOrEqual(ms)
        expect(Date.parse(endOfDay(day, name))).toBeGreaterThanOrEqual(ms)
      }),
    )
  })
})

it.each([
  [0.25, '250 ms'],
  [4.21, '4.2 s'],
  [59, '59 s'],
  [180, '3 min'],
  [7200, '2.0 h'],
  [null, '–'],
])('a duration of %s seconds is %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

describe('a day that a person types', () => {
  const today = '2026-11-23'

  it.each([
    ['23 Nov 2026', '2026-11-23'],
    ['23 november 2026', '2026-11-23'],
    ['1st Sept, 2026', '2026-09-01'],
    ['23-Nov-26', '2026-11-23'],
    ['23/11/2026', '2026-11-23'],
    ['23-11-2026', '2026-11-23'],
    ['23.11.26', '2026-11-23'],
    ['3/4/2026', '2026-04-03'],
    ['2026-11-23', '2026-11-23'],
    ['2026/1/5', '2026-01-05'],
    ['5 Jan', '2026-01-05'],
    ['5/1', '2026-01-05'],
    [' Today ', '2026-11-23'],
    ['yesterday', '2026-11-22'],
    ['tomorrow', '2026-11-24'],
    ['29/02/2028', '2028-02-29'],
  ])('%s is %s: the day comes before the month', (typed, day) => {
    expect(parseDay(typed, today)).toBe(day)
  })

  it.each([
    '',
    '31/02/2026',
    '29 Feb 2026',
    '11/23/2026',
    '23',
    '231',
    '23112026',
    '23 Noon 2026',
    '5 ma',
    '1 Jan 1999',
    'soon',
  ])('“%s” is none', (typed) => {
    expect(parseDay(typed, today)).toBeUndefined()
    expect(isDay(typed)).toBe(false)
  })

  it('is read back from how it is shown, whatever the day', () => {
    const ms = fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2099-12-31') })
    fc.assert(
      fc.property(ms, (at) => {
        const day = new Date(at).toISOString().slice(0, 10)
        expect(isDay(day)).toBe(true)
        expect(parseDay(sayDay(day), today)).toBe(day)
      }),
    )
  })

  it('begins ranges that end today or with the last month', () => {
    expect(rangesOf('2026-03-01')).toEqual({
      Today: { from: '2026-03-01', to: '2026-03-01' },
      Yesterday: { from: '2026-02-28', to: '2026-02-28' },
      'Last 7 days': { from: '2026-02-23', to: '2026-03-01' },
      'This month': { from: '2026-03-01', to: '2026-03-01' },
      'Last month': { from: '2026-02-01', to: '2026-02-28' },
    })
  })
})

describe('a calendar', () => {
  it('shows whole weeks from Monday, each day of the month once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1199 }), (months) => {
        const month = stepDayByMonths('2000-01-01', months).slice(0, 7)
        const weeks = weeksOf(month)
        expect(weeks.every((week) => week.length === 7 && weekdayOf(week[0] ?? '') === 0)).toBe(true)
        const days = weeks.flat()
        expect(new Set(days).size).toBe(days.length)
        expect(days.filter((day) => day.startsWith(month)).at(-1)).toBe(stepDay(stepDayByMonths(`${month}-01`, 1), -1))
      }),
    )
    expect(weeksOf('2026-11')[0]?.[0]).toBe('2026-10-26')
  })

  it('goes to the last day of a month that is shorter', () => {
    expect(stepDayByMonths('2026-01-31', 1)).toBe('2026-02-28')
    expect(stepDayByMonths('2028-02-29', -12)).toBe('2027-02-28')
    expect(stepDayByMonths('2026-12-15', 1)).toBe('2027-01-15')
  })
})
