// Whether a rail may still act for an unfinished payment, at the edges: one millisecond decides whether an operator
// waits too long.

import { describe, expect, it } from 'vitest'
import { type Hold, refusalOf } from '#payments/settle.ts'
import type { Payment, Result } from '#payments/payment.ts'
import { at, bankTransfer } from './made.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const failed: Result = { kind: 'failed', reason: 'LIMIT_EXCEEDED' }
const succeeded: Result = { kind: 'succeeded' }

/** A payment that its rail does not know, asked about again in an hour; `ageMs` after its acceptance. */
function refusal(
  hold: Partial<Omit<Hold, 'dueAt'>> & { dueInMs?: number | null },
  ageMs: number,
  result = failed,
  payment: Payment = bankTransfer(),
) {
  const { dueInMs = 60 * minuteMs, ...rest } = hold
  const nowMs = at.getTime() + ageMs
  const dueAt = dueInMs === null ? null : new Date(nowMs + dueInMs)
  return refusalOf(payment, { dueAt, submittedAt: at, railAnswer: 'unknown', ...rest }, result, nowMs)
}

describe('a person may end a payment by hand', () => {
  it('when it has had no outcome for a day, and not a millisecond before', () => {
    expect(refusal({}, dayMs - 1)).toBe('young')
    expect(refusal({}, dayMs)).toBeUndefined()
    expect(refusal({}, dayMs, succeeded)).toBeUndefined()
  })

  it('at any age when its rail is gone', () => {
    expect(refusal({ railAnswer: 'no-rail' }, 0)).toBeUndefined()
  })

  it('when no further question is due', () => {
    expect(refusal({ dueInMs: null }, dayMs)).toBeUndefined()
  })

  it('when no question is due for more than a minute', () => {
    expect(refusal({ dueInMs: minuteMs + 1 }, dayMs)).toBeUndefined()
    expect(refusal({ dueInMs: minuteMs }, dayMs)).toBe('asked-soon')
    expect(refusal({ dueInMs: -5 * minuteMs }, dayMs)).toBe('asked-soon')
  })
})

describe('a payment of which an earlier submission was never answered', () => {
  const unclear = bankTransfer({ submissionAnswer: 'unclear' })
  const waits = { submittedAt: null, railAnswer: 'not-found' as const, dueInMs: 0 }

  it('may have been paid, so it is not ended before it is a day old', () => {
    for (const result of [failed, succeeded]) {
      expect(refusal(waits, 15 * minuteMs, result, unclear)).toBe('unclear')
      expect(refusal(waits, dayMs - 1, result, unclear)).toBe('unclear')
    }
  })

  it('may be ended either way after that, also while it waits to be sent again, because no process is working on it', () => {
    for (const railAnswer of ['not-found', 'unknown', null] as const)
      for (const result of [failed, succeeded])
        expect(refusal({ ...waits, railAnswer }, dayMs, result, unclear)).toBeUndefined()
  })

  it('may be ended at any age when its rail is gone', () => {
    expect(refusal({ ...waits, railAnswer: 'no-rail' }, 15 * minuteMs, failed, unclear)).toBeUndefined()
  })

  it('may not be ended while it is sent again', () => {
    expect(refusal({ railAnswer: null }, 9 * dayMs, failed, unclear)).toBe('leased')
  })
})

describe('at any age a payment is not ended by hand', () => {
  it('before its rail was asked', () => {
    expect(refusal({ railAnswer: null }, 9 * dayMs)).toBe('leased')
  })

  it('while its rail says that it is under way', () => {
    expect(refusal({ railAnswer: 'pending' }, 9 * dayMs)).toBe('under-way')
  })

  it('as a success when it never left', () => {
    expect(refusal({ submittedAt: null }, 9 * dayMs, succeeded)).toBe('never-left')
    expect(refusal({ submittedAt: null }, 9 * dayMs, failed)).toBeUndefined()
  })
})
