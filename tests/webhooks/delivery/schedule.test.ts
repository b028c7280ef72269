// The waits between attempts.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxAttemptsOf, nextDelayMs, scheduleFor, schedules } from '#webhooks/delivery/retry-schedule.ts'

describe('the schedule', () => {
  it.each([
    ['production', 10, 75 * 3_600],
    ['staging', 5, 755],
  ] as const)('of %s makes %i attempts in about %i seconds', (environment, attempts, about) => {
    const schedule = scheduleFor(environment)
    expect(maxAttemptsOf(schedule)).toBe(attempts)
    const waits = schedule.map((_, index) => nextDelayMs(schedule, { automaticAttempts: index + 1, chance: 0.5 }) ?? 0)
    const sum = waits.reduce((left, right) => left + right, 0) / 1_000
    expect(Math.abs(sum - about) / about).toBeLessThan(0.02)
  })

  it('is that of the documents, in seconds', () => {
    expect(schedules).toEqual({
      staging: [5, 30, 120, 600],
      production: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    })
  })

  it('of an operator replaces both', () => {
    expect([scheduleFor('staging', [7]), scheduleFor('production', [7])]).toEqual([[7], [7]])
  })

  it('ends after the last attempt, also if the receiver sends Retry-After', () => {
    expect(nextDelayMs([1, 2], { automaticAttempts: 3, retryAfterSeconds: 5, chance: 0.5 })).toBeUndefined()
  })
})

describe('a wait', () => {
  const anyFailure = fc.record({
    automaticAttempts: fc.integer({ min: 1, max: schedules.production.length }),
    chance: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  const baseOf = (automaticAttempts: number): number => (schedules.production[automaticAttempts - 1] ?? 0) * 1_000

  it.each([
    ['is a fifth shorter by chance', [100], 0, undefined, 80_000],
    ['is a fifth longer by chance', [100], 1, undefined, 120_000],
    ['is not made longer by a receiver that asks for less than its base', [100], 0, 90, 80_000],
    ['is as long as the receiver asks', [100], 0, 100, 100_000],
    ['is at most twice its base', [100], 0, 1_000, 200_000],
    ['of a second may be shorter than a second', [1], 0, undefined, 800],
  ])('%s', (_title, schedule, chance, retryAfterSeconds, ms) => {
    expect(nextDelayMs(schedule, { automaticAttempts: 1, chance, retryAfterSeconds })).toBe(ms)
  })

  it('differs from its base by a fifth at most', () => {
    fc.assert(
      fc.property(anyFailure, (failure) => {
        const share = (nextDelayMs(schedules.production, failure) ?? 0) / baseOf(failure.automaticAttempts)
        expect(share).toBeGreaterThanOrEqual(0.8)
        expect(share).toBeLessThanOrEqual(1.2)
      }),
    )
  })

  it('is as long as the receiver asks between one and two times its base, and no longer', () => {
    fc.assert(
      fc.property(anyFailure, fc.nat(1_000_000), (failure, retryAfterSeconds) => {
        const base = baseOf(failure.automaticAttempts)
        const asked = Math.min(retryAfterSeconds * 1_000, base * 2)
        const delay = nextDelayMs(schedules.production, { ...failure, retryAfterSeconds }) ?? 0
        expect(delay).toBeGreaterThanOrEqual(asked >= base ? asked : base * 0.8)
        expect(delay).toBeLessThanOrEqual(Math.max(asked, base * 1.2))
      }),
    )
  })
})
