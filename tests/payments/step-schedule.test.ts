// When the service asks again about a payment with an unknown outcome.

import { expect, it } from 'vitest'
import { hourMs, minuteMs, secondMs } from '#platform/durations.ts'
import { nextAskMs, nextCollectionAskMs } from '#payments/execution/schedule.ts'
import { stuckAfterMs } from '#payments/review-items.ts'

it('a payment is asked about after 5 s, 30 s, 2 min, 10 min, 30 min, and then hourly for ever', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 6, 1_000].map((asks) => nextAskMs(asks) / secondMs)
  expect(seconds).toEqual([5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600])
})

it('a collection is asked about every 5 s in its first minute, and every 15 s after that', () => {
  const seconds = [0, minuteMs - 1, minuteMs, hourMs].map((ageMs) => nextCollectionAskMs(ageMs) / secondMs)
  expect(seconds).toEqual([5, 5, 15, 15])
})

it('a payment has been under way for too long after a day', () => {
  expect(stuckAfterMs).toBe(86_400_000)
})
