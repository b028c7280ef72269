// The moves between the states of payments; pure. This is the drawing of docs/states.md as a function.

import { assert } from '#base/assert.ts'
import type { EventName } from '#events/catalogue.ts'
import type { Posting } from '#ledger/chart.ts'
import { failedPostings, reversedPostings, succeededPostings } from '#ledger/posting.ts'
import { kinds } from './kinds.ts'
import { codeMoveOf } from './move-otp.ts'
import { isFinal, type Moment, type Payment, type PaymentStatus, type Result } from './payment.ts'

export type Move = {
  /** As it is from now on. */
  payment: Payment
  /** When the loop must look at it next: null for never, undefined where that stays as it is. */
  dueAt: Date | null | undefined
  postings: Posting[]
  event?: EventName | undefined
  /** The payment becomes a deposit, too. */
  isInflow?: boolean
}

/** Undefined: the result changes nothing, because the payment has ended that way already or can no longer end so. */
export function moveOf(payment: Payment, result: Result, moment: Moment): Move | undefined {
  const { at, nowMs } = moment
  const { direction, events, failureReasons } = kinds[payment.kind]
  const { status, amount, fee } = payment
  const out = direction === 'out'
  switch (result.kind) {
    case 'succeeded': {
      if (isFinal(status)) return undefined
      const dueAt = result.lookAgainMs === undefined ? null : new Date(nowMs + result.lookAgainMs)
      const postings = out ? succeededPostings(amount, fee) : []
      return { payment: succeededAs(payment, result, at), dueAt, postings, event: events.SUCCESS, isInflow: !out }
    }
    case 'failed': {
      if (isFinal(status)) return undefined
      assert(failureReasons.includes(result.reason), `a ${payment.kind} cannot fail with ${result.reason}`)
      const failed = { ...ended(payment, 'FAILED', at), failureReason: result.reason } as Payment
      return { payment: failed, dueAt: null, postings: out ? failedPostings(amount, fee) : [], event: events.FAILED }
    }
    case 'reversed':
      if (status !== 'SUCCESS' || !out) return undefined
      return {
        payment: ended(payment, 'REVERSED', at),
        dueAt: null,
        postings: reversedPostings(amount, fee),
        event: events.REVERSED,
      }
    case 'otp-required':
    case 'otp-expired':
    case 'otp-tried':
    case 'otp-wrong':
    case 'otp-undecided':
    case 'otp-accepted': {
      const move = payment.kind === 'momo_collection' ? codeMoveOf(payment, result, moment) : undefined
      return move === undefined ? undefined : { ...move, postings: [] }
    }
  }
}

/**
 * The provider says that a payout came back. If we had not seen it succeed, the payee never had the money: it failed. Decided
 * with the row locked, because a notice of the success may have come first.
 */
export function asKnownHere({ kind, status }: Payment, result: Result): Result {
  const hasSucceeded = status === 'SUCCESS' || status === 'REVERSED'
  if (result.kind !== 'reversed' || hasSucceeded || kinds[kind].direction === 'in') return result
  return { kind: 'failed', reason: kind === 'bank_transfer' ? 'BANK_UNAVAILABLE' : 'OPERATOR_UNAVAILABLE' }
}

/** Whether a result that moves nothing says what is so already. */
export function saysNothingNew({ status }: Payment, result: Result): boolean {
  switch (result.kind) {
    case 'succeeded':
      return status === 'SUCCESS' || status === 'REVERSED'
    case 'failed':
      return status === 'FAILED'
    case 'reversed':
      return status === 'REVERSED'
    case 'otp-required':
      return !isFinal(status)
    case 'otp-expired':
      return true
    case 'otp-tried':
    case 'otp-wrong':
    case 'otp-undecided':
    case 'otp-accepted':
      return false
  }
}

function succeededAs(payment: Payment, proof: Extract<Result, { kind: 'succeeded' }>, at: Date): Payment {
  const succeeded = ended(payment, 'SUCCESS', at)
  return succeeded.kind === 'bank_transfer'
    ? { ...succeeded, sessionId: proof.sessionId ?? null }
    : { ...succeeded, operatorReference: proof.operatorReference ?? null }
}

function ended(payment: Payment, status: PaymentStatus, at: Date): Payment {
  return { ...payment, status, updatedAt: at, completedAt: at } as Payment
}
