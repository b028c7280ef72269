// The next step of a payment that certainly was not sent, because its rail is stopped or holds too little money.

import { describe, expect, it } from 'vitest'
import type { Wait } from '#payments/execution/schedule.ts'
import type { RailState } from '#payments/execution/rail-call.ts'
import { at, bankTransfer as transfer, collection, momoTransfer } from './made.ts'
import { floatPatienceMs, said, settle, stepOf, wait } from './stepping.ts'

const atMs = at.getTime()
const onLost = said('unknown')
const pending: RailState = { kind: 'pending' }
const unknown = { kind: 'unknown', detail: 'no answer' } as const

describe('a payment', () => {
  it.each([
    ['at once', 0],
    ['when the database was asked', 1],
  ])('that its rail is to be sent is kept while that rail is stopped, as is known %s', async (_when, stopsTakeMs) => {
    const stopped = { sentBefore: false, stopped: true, stopsTakeMs }
    const kept = await stepOf(transfer({ asks: 3 }), pending, stopped)
    expect([kept.calls, kept.step]).toEqual([[], wait(5_000, { asks: 3, unsent: true })])
    // A stop applies neither to a collection nor to a payment without a rail.
    for (const payment of [collection(), transfer({ rail: null })])
      expect((await stepOf(payment, pending, stopped)).calls).toEqual(['submit'])
  })
})

describe('a payment that is too large for what its rail has', () => {
  const never = { sentBefore: false }
  const tooSmall: RailState = { ...unknown, sent: false, why: 'float' }
  const sinceMs = (agoMs: number): { parkedAt: Date } => ({ parkedAt: new Date(atMs + 1_000 - agoMs) })
  const failed = (reason: 'PROVIDER_ERROR' | 'OPERATOR_UNAVAILABLE') => settle({ kind: 'failed', reason })

  it('waits, and remembers since when', async () => {
    const waits = (changes: Partial<Wait>) => onLost(5_000, { asks: 1, unsent: true, ...changes })
    expect((await stepOf(transfer(), tooSmall, never)).step).toEqual(waits(sinceMs(0)))
    const almost = sinceMs(floatPatienceMs - 1)
    expect((await stepOf(transfer(almost), tooSmall, never)).step).toEqual(waits(almost))
  })

  it('fails when that takes too long', async () => {
    const tooLong = sinceMs(floatPatienceMs)
    expect((await stepOf(transfer(tooLong), tooSmall, never)).step).toEqual(failed('PROVIDER_ERROR'))
    expect((await stepOf(momoTransfer(tooLong), tooSmall, never)).step).toEqual(failed('OPERATOR_UNAVAILABLE'))
  })

  it.each(['unclear', 'refused', 'exists'] as const)(
    'waits for longer when an earlier submission of it, which was %s, may still arrive',
    async (submissionAnswer) => {
      const tooLong = sinceMs(floatPatienceMs)
      const { step } = await stepOf(transfer({ ...tooLong, submissionAnswer }), tooSmall, never)
      expect(step).toEqual(onLost(5_000, { asks: 1, unsent: true, ...tooLong }))
    },
  )

  it('does neither when it may have left, or did not for another reason', async () => {
    const tooLong = transfer(sinceMs(floatPatienceMs))
    for (const word of [{ ...tooSmall, sent: true }, { ...unknown, sent: false }, unknown] as RailState[]) {
      const { step } = await stepOf(tooLong, word, never)
      expect(step).toMatchObject({ kind: 'wait' })
      expect(step).not.toHaveProperty('parkedAt')
    }
  })
})
