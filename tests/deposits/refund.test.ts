// How a refund goes on after its rail has answered, and above all when the service may request it again.

import { describe, expect, it } from 'vitest'
import { confirmedAndAbsent, stepAfter, type Step } from '#deposits/refunds.ts'
import type { NotFound } from '#rails/rail.ts'
import type { RefundState } from '#rails/ports.ts'

const nowMs = Date.parse('2026-01-15T09:30:00.000Z')
const minuteMs = 60_000

type Before = { requested?: boolean; asks?: number; refusal?: string | null; again?: boolean }

function after(
  answer: RefundState | NotFound,
  { requested = true, asks = 0, refusal = null, again = false }: Before = {},
): Step & { inMs: number | null } {
  const step = stepAfter({ asks, refusal, again }, { answer, requested }, nowMs)
  return { ...step, inMs: step.dueAt === null ? null : step.dueAt.getTime() - nowMs }
}

describe('a refund', () => {
  it('ends when its rail says so, and the service stops asking', () => {
    expect(after({ kind: 'refunded' })).toMatchObject({ status: 'REFUNDED', dueAt: null, why: null })
    expect(after({ kind: 'failed', detail: 'no' })).toMatchObject({ status: 'REFUSED', dueAt: null, why: 'no' })
  })

  it('that its rail does not know is requested again at once', () => {
    expect(after({ kind: 'not-found' }, { requested: false })).toMatchObject({ status: 'WAITING', inMs: 0, why: null })
  })

  it('that is under way is asked about after pauses that grow to six hours', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 6, 20].map((asks) => after({ kind: 'pending' }, { asks }).inMs)
    expect(pauses).toEqual([1, 4, 16, 64, 256, 360, 360, 360].map((minutes) => minutes * minuteMs))
    expect(after({ kind: 'pending' })).toMatchObject({ status: 'ASKED', why: null })
  })

  it('that is under way is asked about when its rail advises', () => {
    expect(after({ kind: 'pending', askAgainAfterMs: 7 })).toMatchObject({ status: 'ASKED', inMs: 7 })
  })
})

describe('a refund of which nothing is known', () => {
  const lost: RefundState = { kind: 'unknown', detail: 'no answer' }
  const unsent: RefundState = { ...lost, sent: false }

  it('may have been made, so its rail is asked for the status before anything else', () => {
    expect(after(lost)).toMatchObject({ status: 'ASKED', inMs: minuteMs, why: 'no answer' })
    expect(after({ ...lost, askAgainAfterMs: 7 }, { asks: 1 })).toMatchObject({ status: 'ASKED', inMs: 4 * minuteMs })
  })

  it('is asked for again when the request was certainly not sent, later or as advised', () => {
    expect(after(unsent, { asks: 1 })).toMatchObject({ status: 'WAITING', inMs: 4 * minuteMs, why: 'no answer' })
    expect(after({ ...unsent, askAgainAfterMs: 7 })).toMatchObject({ status: 'WAITING', inMs: 7 })
  })

  it('stays ASKED if only a status query was not sent', () => {
    expect(after(unsent, { requested: false })).toMatchObject({ status: 'ASKED', inMs: minuteMs })
  })

  it('is asked about when the rate limit has room, and not hours later', () => {
    const question = { requested: false, asks: 5 }
    expect(after({ ...lost, askAgainAfterMs: 7 }, question)).toMatchObject({ status: 'ASKED', inMs: 7 })
  })
})

describe('a refund that was refused with a text that is not final', () => {
  const refused: RefundState = { kind: 'unknown', detail: 'refused with 400 X', why: 'refused' }
  const question = { requested: false, refusal: 'refused with 400 X' }

  it('is asked about, and keeps this text while nothing is known', () => {
    expect(after(refused)).toMatchObject({ status: 'ASKED', refusal: 'refused with 400 X', why: 'refused with 400 X' })
    const lost = after({ kind: 'unknown', detail: 'not shown yet' }, question)
    expect(lost).toMatchObject({ status: 'ASKED', refusal: 'refused with 400 X', why: 'refused with 400 X' })
  })

  it('is REFUSED when its rail does not show it for the grace period', () => {
    expect(after({ kind: 'not-found' }, question)).toMatchObject({ status: 'REFUSED', why: 'refused with 400 X' })
  })

  it('is under way when its rail has it after all', () => {
    expect(after({ kind: 'pending' }, question)).toMatchObject({
      status: 'ASKED',
      refusal: confirmedAndAbsent,
      why: null,
    })
    expect(after({ kind: 'refunded' }, question)).toMatchObject({ status: 'REFUNDED', why: null })
  })
})

it.each([true, false])('a refund that its rail confirmed is not requested again (to a request: %s)', (requested) => {
  const { refusal } = after({ kind: 'pending' }, { requested })
  const question = { requested: false, refusal }
  expect(after({ kind: 'not-found' }, question)).toMatchObject({ status: 'REFUSED', why: confirmedAndAbsent })
  expect(after({ kind: 'refunded' }, question)).toMatchObject({ status: 'REFUNDED', why: null })
})

describe('a refund that a person wants sent again', () => {
  const question = { requested: false, again: true }

  it('is sent when its rail has none, or reports that it failed', () => {
    for (const answer of [{ kind: 'not-found' }, { kind: 'failed', detail: 'no' }] as const)
      expect(after(answer, question)).toMatchObject({ status: 'WAITING', inMs: 0, again: false })
  })

  it('is not sent while nothing is known, or it is under way', () => {
    expect(after({ kind: 'unknown', detail: 'no answer' }, question)).toMatchObject({ status: 'ASKED', again: true })
    expect(after({ kind: 'pending' }, question)).toMatchObject({ status: 'ASKED', again: false })
  })

  it('is refused for good when it is refused again', () => {
    expect(after({ kind: 'failed', detail: 'no' }, { again: true })).toMatchObject({ status: 'REFUSED', why: 'no' })
  })
})

it('a refund that needs a person before its provider goes on says so, and is asked about', () => {
  const step = after({ kind: 'pending', attention: 'give the account' })
  expect(step).toMatchObject({ status: 'ASKED', why: 'give the account', attention: 'give the account' })
})
