import { expect, it } from 'vitest'
import { createFirstSeen } from '#platform/cache.ts'
import { createFakeClock } from '#tests/support/clock.ts'

it('counts from the first time on, also when the clock is set, until it is forgotten', () => {
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

it('keeps so many and no more: what it has known longest counts anew', () => {
  const clock = createFakeClock()
  const absent = createFirstSeen(clock, 2)
  for (const key of ['a', 'b', 'c']) absent.sinceMs(key)
  clock.advance(10)
  expect([absent.sinceMs('b'), absent.sinceMs('c'), absent.sinceMs('a')]).toEqual([10, 10, 0])
})
