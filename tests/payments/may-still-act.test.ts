// Whether a rail may still act for an unfinished payment, at the edges: to the millisecond a person waits too long or not.

import { describe, expect, it } from 'vitest'
import { refusalOf, type Hold } from '#payments/manual-settlement-rules.ts'
import type { Result } from '#payments/payment.ts'
import { at, bankTransfer } from './made.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const failed: Result = { kind: 'failed', reason: 'LIMIT_EXCEEDED' }
const succeeded: Result = { kind: 'succeeded' }

/** A payment that its rail does not know, asked about again in an hour; `ageMs` after its acceptance. */
function refusal(hold: Partial<Omit<Hold, 'dueAt'>> & { dueInMs?: number | null }, ageMs: number, result = failed) {
  const { dueInMs = 60 * minuteMs, ...rest } = hold
  const nowMs = at.getTime() + ageMs
  const dueAt = dueInMs === null ? null : new Date(nowMs + dueInMs)
  return refusalOf(bankTransfer(), { dueAt, submittedAt: at, railWord: 'unknown', ...rest }, result, nowMs)
}

describe('a person may end a payment by hand', () => {
  it('when it has had no outcome for a day, and not a millisecond before', () => {
    expect(refusal({}, dayMs - 1)).toBe('young')
    expect(refusal({}, dayMs)).toBeUndefined()
    expect(refusal({}, dayMs, succeeded)).toBeUndefined()
  })

  it('at any age when its rail is gone', () => {
    expect(refusal({ railWord: 'no-rail' }, 0)).toBeUndefined()
  })

  it('when nobody asks about it any more', () => {
    expect(refusal({ dueInMs: null }, dayMs)).toBeUndefined()
  })

  it('when nobody asks about it for more than a minute', () => {
    expect(refusal({ dueInMs: minuteMs + 1 }, dayMs)).toBeUndefined()
    expect(refusal({ dueInMs: minuteMs }, dayMs)).toBe('asked-soon')
    expect(refusal({ dueInMs: -5 * minuteMs }, dayMs)).toBe('asked-soon')
  })
})

describe('however old a payment is, nobody ends it', () => {
  it('before its rail was asked', () => {
    expect(refusal({ railWord: null }, 9 * dayMs)).toBe('in-hand')
  })

  it('while its rail says that it is under way', () => {
    expect(refusal({ railWord: 'pending' }, 9 * dayMs)).toBe('under-way')
  })

  it('as a success when it never left', () => {
    expect(refusal({ submittedAt: null }, 9 * dayMs, succeeded)).toBe('never-left')
    expect(refusal({ submittedAt: null }, 9 * dayMs, failed)).toBeUndefined()
  })
})
