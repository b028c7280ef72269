import { expect, it } from 'vitest'
import { createFirstSeen } from '#platform/cache.ts'
import { createFakeClock } from '#tests/support/clock.ts'

it('counts from the first time until it is forgotten, also when the clock is set', () => {
  const clock = createFakeClock()
  const absent = createFirstSeen(clock)
  expect(absent.sinceMs('a')).toBe(0)
  clock.advance(1_000)
  clock.set(-3_600_000)
  expect([absent.sinceMs('a'), absent.sinceMs('b')]).toEqual([1_000, 0])
  clock.set(7_200_000)
  expect(absent.sinceMs('a')).toBe(1_000)
  absent.forget('a')
  expect([absent.sinceMs('a'), absent.sinceMs('b')]).toEqual([0, 0])
})

it('forgets the oldest entry above the limit, which then counts from 0', () => {
  const clock = createFakeClock()
  const absent = createFirstSeen(clock, 2)
  for (const key of ['a', 'b', 'c']) absent.sinceMs(key)
  clock.advance(10)
  expect([absent.sinceMs('b'), absent.sinceMs('c'), absent.sinceMs('a')]).toEqual([10, 10, 0])
})

it('counts to the time of the question, however late the answer comes', () => {
  const clock = createFakeClock()
  const absent = createFirstSeen(clock)
  expect(absent.sinceMs('a', clock.monotonicMs() - 500)).toBe(0)
  const askedAtMs = clock.monotonicMs() + 1_000
  clock.advance(60_000)
  expect([absent.sinceMs('a', askedAtMs), absent.sinceMs('a', askedAtMs - 2_000), absent.sinceMs('a')]).toEqual([
    1_000, 0, 60_000,
  ])
})
