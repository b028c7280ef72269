// The periods of the home page begin where the days of the lists do.

import { expect, it } from 'vitest'
import { endOfDay, startOfDay } from '#dashboard/format/time.ts'
import { periodOf } from '#dashboard/pages/home/period.ts'

const zone = 'Africa/Lagos'
const halfPastMidnight = Date.parse('2026-11-21T23:30:00Z')

it.each([
  ['1d', '2026-11-22'],
  ['7d', '2026-11-16'],
  ['30d', '2026-10-24'],
  ['90d', '2026-08-25'],
])('%s begins with a whole day of the zone and ends with today', (value, firstDay) => {
  const { from, to, listed } = periodOf(value, zone, halfPastMidnight)
  expect(listed).toEqual({ endedFrom: firstDay, endedTo: '2026-11-22' })
  expect(from).toBe(startOfDay(firstDay, zone))
  expect(to).toBe('2026-11-21T23:59:59.999Z')
  expect(to <= endOfDay('2026-11-22', zone)).toBe(true)
})

it('today has an hour from its first moment on', () => {
  const { from, to } = periodOf('1d', zone, Date.parse('2026-11-21T23:00:00Z'))
  expect([from, to]).toEqual(['2026-11-21T23:00:00.000Z', '2026-11-21T23:59:59.999Z'])
})
