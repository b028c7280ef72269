// Times on screen are of one zone. What is sent is always an instant, and a Lagos day begins at 23:00 UTC.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  dateIn,
  endOfDay,
  formatAgo,
  formatDuration,
  formatTime,
  nameZone,
  startOfDay,
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

  it('is told from now', () => {
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
