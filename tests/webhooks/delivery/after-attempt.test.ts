// How an attempt changes its delivery: the cases that are hard to reach with real receivers.

import { describe, expect, it } from 'vitest'
import {
  afterAttempt,
  type EndedAttempt,
  type DeliveryState,
  failingMsMax,
  healthAfter,
} from '#webhooks/delivery/after-attempt.ts'
import { isLate, leaseMsOf } from '#webhooks/delivery/retry-schedule.ts'

const at = new Date('2026-01-15T09:30:00.000Z')
const leaseEnd = new Date(at.getTime() + 60_000)
const state: DeliveryState = {
  status: 'pending',
  attempts: 0,
  automaticAttempts: 0,
  responseCode: null,
  lastError: null,
  lastAttemptAt: null,
  nextAttemptAt: at,
  retryRequested: false,
  deliveredAt: null,
  updatedAt: at,
  dueAt: leaseEnd,
}
const delivered: EndedAttempt = {
  outcome: 'delivered',
  startedAt: at,
  endedAt: new Date(at.getTime() + 100),
  durationMs: 100,
  responseCode: 200,
  error: null,
  responseBody: null,
  manual: false,
  leaseEnd,
}
const failed: EndedAttempt = { ...delivered, outcome: 'failed', responseCode: 500, error: 'The receiver answered 500.' }
const delay = (): number => 5_000
const later = new Date(leaseEnd.getTime() + 60_000)

describe('an attempt', () => {
  it('that succeeds cancels later attempts, also when its lease has ended and another process has the delivery', () => {
    const done = { status: 'delivered', deliveredAt: delivered.endedAt, dueAt: null, nextAttemptAt: null }
    expect(afterAttempt(state, delivered, delay)).toMatchObject(done)
    expect(afterAttempt({ ...state, dueAt: later, retryRequested: true }, delivered, delay)).toMatchObject({
      ...done,
      retryRequested: false,
    })
  })

  it('that fails after its lease leaves the next attempt to the process with the new lease', () => {
    const after = afterAttempt({ ...state, dueAt: later }, failed, delay)
    expect(after).toMatchObject({ status: 'failed', attempts: 1, dueAt: later, nextAttemptAt: at })
  })

  it('that fails after another one succeeded is only counted', () => {
    const done: DeliveryState = {
      ...state,
      status: 'delivered',
      deliveredAt: at,
      dueAt: null,
      responseCode: 200,
      attempts: 1,
    }
    expect(afterAttempt(done, failed, delay)).toEqual({ ...done, attempts: 2, automaticAttempts: 1 })
  })

  it('never dates a delivery back, whatever the clocks of several processes say', () => {
    const ahead = { ...state, updatedAt: later, lastAttemptAt: later }
    expect(afterAttempt(ahead, failed, delay)).toMatchObject({ updatedAt: later, lastAttemptAt: later })
  })

  it('by the schedule that fails is followed at once by a retry that the business requested, and then by the schedule', () => {
    const after = afterAttempt({ ...state, retryRequested: true }, failed, delay)
    const nextAttemptAt = new Date(failed.endedAt.getTime() + 5_000)
    expect(after).toMatchObject({ dueAt: failed.endedAt, nextAttemptAt, retryRequested: true })
  })
})

describe('an attempt under its lease', () => {
  const after = (changes: Partial<EndedAttempt>, before: Partial<DeliveryState> = {}) =>
    afterAttempt({ ...state, ...before }, { ...failed, ...changes }, delay)
  const next = new Date(failed.endedAt.getTime() + 5_000)

  it('by the schedule is followed by the next one, until there is none', () => {
    expect(after({})).toMatchObject({ attempts: 1, automaticAttempts: 1, nextAttemptAt: next, dueAt: next })
    const last = afterAttempt(state, failed, () => undefined)
    expect(last).toMatchObject({ status: 'failed', nextAttemptAt: null, dueAt: null })
  })

  it('at a receiver that is gone is followed by none', () => {
    expect(after({ outcome: 'gone' })).toMatchObject({ status: 'failed', nextAttemptAt: null, dueAt: null })
  })

  it('that the business asked for leaves the schedule as it was', () => {
    const asked = after({ manual: true }, { retryRequested: true, automaticAttempts: 2, attempts: 2 })
    const counts = { attempts: 3, automaticAttempts: 2 }
    expect(asked).toMatchObject({ ...counts, retryRequested: false, nextAttemptAt: at, dueAt: at })
  })

  it('that the business asked for is followed by another one, if the business asked again while it ran', () => {
    const asked = { retryRequested: true, updatedAt: new Date(at.getTime() + 50) }
    expect(after({ manual: true }, asked)).toMatchObject({ retryRequested: true, dueAt: failed.endedAt })
  })

  it('is dated when it began, and its delivery when it ended', () => {
    expect(after({})).toMatchObject({ lastAttemptAt: failed.startedAt, updatedAt: failed.endedAt })
    const before = new Date(at.getTime() - 1)
    expect(after({}, { lastAttemptAt: before })).toMatchObject({ lastAttemptAt: failed.startedAt })
  })

  it('that succeeds again keeps the time of the first success', () => {
    const again = afterAttempt({ ...state, deliveredAt: at }, delivered, delay)
    expect(again.deliveredAt).toEqual(at)
  })
})

describe('a lease', () => {
  it('covers the wait for a turn, an attempt and its record', () => {
    expect(leaseMsOf(30_000)).toBe(60_000)
  })

  it('is too short from the moment on at which an attempt and its record could outlive it', () => {
    const latestMs = leaseEnd.getTime() - 30_000 - 5_000
    expect([latestMs, latestMs + 1].map((nowMs) => isLate(leaseEnd, 30_000, nowMs))).toEqual([false, true])
  })
})

describe('health', () => {
  const hours = (count: number): number => count * 3_600_000
  const failingSince = (ms: number) => ({ ...good, failingSince: new Date(failed.endedAt.getTime() - ms) })
  const good = { status: 'active' as const, failingSince: null, disabledBecause: null }

  it('is the same object when nothing changes, so that nothing is written', () => {
    expect(healthAfter(good, delivered)).toBe(good)
    const failing = healthAfter(good, failed)
    expect(failing).toEqual({ ...good, failingSince: failed.endedAt })
    expect(healthAfter(failing, failed)).toBe(failing)
  })

  it('forgets its failures after one success', () => {
    expect(healthAfter(failingSince(hours(1)), delivered)).toEqual(good)
  })

  it('disables the subscription after 120 hours of failures alone, counted from the first', () => {
    expect(healthAfter(failingSince(hours(120) - 1), failed)).toEqual(failingSince(hours(120) - 1))
    const disabled = { status: 'disabled', disabledBecause: 'FAILING' }
    expect(healthAfter(failingSince(hours(120)), failed)).toEqual({ ...failingSince(hours(120)), ...disabled })
  })

  it('disables the subscription at once when the receiver answers 410', () => {
    const disabled = { status: 'disabled', disabledBecause: 'GONE' }
    expect(healthAfter(good, { ...failed, outcome: 'gone' })).toEqual({ ...failingSince(0), ...disabled })
  })

  it('of a disabled subscription keeps its status', () => {
    const since = new Date(failed.endedAt.getTime() - failingMsMax)
    const disabled = { status: 'disabled' as const, failingSince: since, disabledBecause: null }
    for (const outcome of ['failed', 'gone'] as const)
      expect(healthAfter(disabled, { ...failed, outcome })).toBe(disabled)
  })
})
