// A day of deliveries, in words and as bars.

import { expect, it } from 'vitest'
import { barOf, sayCounts, sumOf } from '#dashboard/pages/webhooks/day.ts'

const none = { total: 0, delivered: 0, failed: 0, pending: 0 }

it.each([
  [none, 'No deliveries'],
  [{ total: 1, delivered: 1, failed: 0, pending: 0 }, '1 delivery: 1 delivered, 0 failed'],
  [{ total: 1_204, delivered: 1_200, failed: 3, pending: 1 }, '1,204 deliveries: 1,200 delivered, 3 failed, 1 waits'],
  [
    { total: 30_000, delivered: 400, failed: 90, pending: 10 },
    '30,000 deliveries; of 500 sampled: 400 delivered, 90 failed, 10 wait',
  ],
])('%o is said in words', (fared, words) => {
  expect(sayCounts(fared)).toBe(words)
})

it('adds hours up', () => {
  const hour = { total: 600, delivered: 490, failed: 9, pending: 1 }
  expect(sumOf([hour, none, hour])).toEqual({ total: 1_200, delivered: 980, failed: 18, pending: 2 })
})

it('shows the states that occur, and leaves out the others', () => {
  const heights = { up: 15, down: 8 }
  expect(barOf(none, 1_000, heights)).toEqual({ arrived: 0, waiting: 0, failed: 0 })
  expect(barOf({ total: 1_000, delivered: 999, failed: 1, pending: 0 }, 1_000, heights)).toEqual({
    arrived: 15,
    waiting: 0,
    failed: 2,
  })
  // If an hour was counted in part, its bar still stands for the whole hour.
  expect(barOf({ total: 1_000, delivered: 250, failed: 250, pending: 0 }, 1_000, heights)).toEqual({
    arrived: 8,
    waiting: 0,
    failed: 4,
  })
})
