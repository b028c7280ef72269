// The amounts that a payment is said to have moved, compared with the postings of its moves.

import { expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { acceptedPostings, receivedPostings } from '#ledger/chart.ts'
import { transitionOf } from '#payments/transitions.ts'
import type { Payment, Result } from '#payments/payment.ts'
import { movedBy } from '#payments/history.ts'
import { at, bankTransfer, collection, momoTransfer, on } from './made.ts'

const laterMs = (ms: number): Date => new Date(at.getTime() + ms)
const failed: Result = { kind: 'failed', reason: 'LIMIT_EXCEEDED' }
const succeeded: Result = { kind: 'succeeded' }
const reversed: Result = { kind: 'reversed' }

/** The movements of a payment with these results, a second apart, and the final payment. */
function lived(born: Payment, results: Result[]) {
  const moved = [{ at, count: acceptedPostings(born.amount, born.fee).length }]
  let payment = born
  let succeededAt: Date | null = null
  for (const [index, result] of results.entries()) {
    const moment = laterMs((index + 1) * 1_000)
    const move = transitionOf(payment, result, on(moment))
    if (move === undefined) throw new Error(`${payment.status} does not become ${result.kind}`)
    if (result.kind === 'reversed') succeededAt = payment.completedAt
    moved.push({ at: moment, count: move.postings.length })
    payment = move.payment
  }
  return { payment, moved, background: { succeededAt, dueAt: null, asks: 0, railAnswer: null } }
}

const fees = [0, 1, 1_000].map((fee) => toMoney(fee))

it.each([
  ['waits', []],
  ['failed', [failed]],
  ['succeeded', [succeeded]],
  ['came back', [succeeded, reversed]],
])('a payout that %s: each move at its time, with its postings', (_, results) => {
  const inTime = (moved: { at: Date; count: number }[]) =>
    moved.toSorted((left, right) => left.at.getTime() - right.at.getTime())
  for (const fee of fees) {
    const kinds = [bankTransfer({ fee }), ...(results.length < 2 ? [momoTransfer({ fee })] : [])]
    for (const born of kinds) {
      const { payment, moved, background } = lived(born, results)
      const story = movedBy(payment, background)
      expect(story.sourceId).toBe(payment.id)
      expect(inTime(story.moved)).toEqual(moved)
    }
  }
})

it('a collection: the postings of its deposit, and nothing before there is one', () => {
  const nothing = { succeededAt: null, dueAt: null, asks: 0, railAnswer: null }
  const depositId = newUuid(at.getTime())
  for (const fee of fees) {
    const waiting = collection({ fee })
    expect(movedBy(waiting, nothing)).toEqual({ sourceId: waiting.id, moved: [] })
    const refused = collection({ fee, status: 'FAILED', completedAt: laterMs(1) })
    expect(movedBy(refused, nothing)).toEqual({ sourceId: refused.id, moved: [] })
    const paid = collection({ fee, status: 'SUCCESS', completedAt: laterMs(1), depositId })
    const count = receivedPostings(paid.amount, fee).length
    expect(movedBy(paid, nothing)).toEqual({ sourceId: depositId, moved: [{ at: laterMs(1), count }] })
  }
})
