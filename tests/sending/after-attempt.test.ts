// What an attempt makes of a delivery: the moves that are hard to meet with real receivers.

import { describe, expect, it } from 'vitest'
import { afterAttempt, type Ended, type Standing } from '#sending/after-attempt.ts'
import { failingMsMax, healthAfter } from '#sending/health.ts'

const at = new Date('2026-01-15T09:30:00.000Z')
const leaseEnd = new Date(at.getTime() + 60_000)
const standing: Standing = {
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
const delivered: Ended = {
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
const failed: Ended = { ...delivered, outcome: 'failed', responseCode: 500, error: 'The receiver answered 500.' }
const delay = (): number => 5_000
const later = new Date(leaseEnd.getTime() + 60_000)

describe('an attempt', () => {
  it('that succeeds ends everything, also when its lease had ended and another holds the delivery', () => {
    const done = { status: 'delivered', deliveredAt: delivered.endedAt, dueAt: null, nextAttemptAt: null }
    expect(afterAttempt(standing, delivered, delay)).toMatchObject(done)
    expect(afterAttempt({ ...standing, dueAt: later, retryRequested: true }, delivered, delay)).toMatchObject({
      ...done,
      retryRequested: false,
    })
  })

  it('that fails late leaves to the new holder when it is sent again', () => {
    const after = afterAttempt({ ...standing, dueAt: later }, failed, delay)
    expect(after).toMatchObject({ status: 'failed', attempts: 1, dueAt: later, nextAttemptAt: at })
  })

  it('that fails after another one delivered is counted and nothing else', () => {
    const done: Standing = {
      ...standing,
      status: 'delivered',
      deliveredAt: at,
      dueAt: null,
      responseCode: 200,
      attempts: 1,
    }
    expect(afterAttempt(done, failed, delay)).toEqual({ ...done, attempts: 2, automaticAttempts: 1 })
  })

  it('never dates a delivery back, whatever the clocks of several processes say', () => {
    const ahead = { ...standing, updatedAt: later, lastAttemptAt: later }
    expect(afterAttempt(ahead, failed, delay)).toMatchObject({ updatedAt: later, lastAttemptAt: later })
  })

  it('by the schedule that fails while somebody asked for one is followed at once, and by the schedule too', () => {
    const after = afterAttempt({ ...standing, retryRequested: true }, failed, delay)
    const nextAttemptAt = new Date(failed.endedAt.getTime() + 5_000)
    expect(after).toMatchObject({ dueAt: failed.endedAt, nextAttemptAt, retryRequested: true })
  })
})

describe('health', () => {
  const good = { status: 'active' as const, failingSince: null, disabledBecause: null }

  it('is the same object when nothing changes, so that nothing is written', () => {
    expect(healthAfter(good, delivered)).toBe(good)
    const failing = healthAfter(good, failed)
    expect(failing).toEqual({ ...good, failingSince: failed.endedAt })
    expect(healthAfter(failing, failed)).toBe(failing)
  })

  it('of what its business disabled does not change its status', () => {
    const since = new Date(failed.endedAt.getTime() - failingMsMax)
    const disabled = { status: 'disabled' as const, failingSince: since, disabledBecause: null }
    for (const outcome of ['failed', 'gone'] as const)
      expect(healthAfter(disabled, { ...failed, outcome })).toBe(disabled)
  })
})
