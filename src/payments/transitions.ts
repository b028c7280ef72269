// The transitions between the states of a payment, as docs/states.md draws them; pure. collection-rules.ts has those of the
// one-time code of a collection. ledger/chart.ts says which accounts they debit and credit.

import type { EventName } from '#events/catalogue.ts'
import { type Posting, failedPostings, reversedPostings, succeededPostings } from '#ledger/chart.ts'
import { assert } from '#platform/assert.ts'
import {
  type MomoCollection,
  type Moment,
  kinds,
  isFinal,
  lookAt,
  type Payment,
  type PaymentStatus,
  type Result,
} from './payment.ts'
import { hasExpired, codeTransitionOf } from './collection-rules.ts'

export type Transition = {
  payment: Payment
  /** When the loop must look at the payment next: null for never, undefined if the stored time stays as it is. */
  dueAt: Date | null | undefined
  postings: Posting[]
  event?: EventName | undefined
  /** True if the payment also becomes a deposit. */
  isInflow?: boolean
}

/**
 * Returns undefined if the result changes nothing, because the payment has ended in that way already or can no longer
 * do so.
 */
export function transitionOf(payment: Payment, result: Result, moment: Moment): Transition | undefined {
  const { at, nowMs } = moment
  const { direction, events, failureReasons } = kinds[payment.kind]
  const { status, amount, fee } = payment
  const out = direction === 'out'
  switch (result.kind) {
    case 'succeeded': {
      if (isFinal(status) && !hasExpired(payment)) return undefined
      const dueAt = lookAt(result, nowMs)
      const postings = out ? succeededPostings(amount, fee) : []
      return { payment: succeededAs(payment, result, at), dueAt, postings, event: events.SUCCESS, isInflow: !out }
    }
    case 'failed': {
      if (isFinal(status)) return undefined
      assert(failureReasons.includes(result.reason), `a ${payment.kind} cannot fail with ${result.reason}`)
      const failed = { ...endedPayment(payment, 'FAILED', at), failureReason: result.reason } as Payment
      const dueAt = lookAt(result, nowMs)
      return { payment: failed, dueAt, postings: out ? failedPostings(amount, fee) : [], event: events.FAILED }
    }
    case 'reversed':
      if (status !== 'SUCCESS' || !out) return undefined
      return {
        payment: endedPayment(payment, 'REVERSED', at),
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
      const transition = payment.kind === 'momo_collection' ? codeTransitionOf(payment, result, moment) : undefined
      return transition === undefined ? undefined : { ...transition, postings: [] }
    }
  }
}

/**
 * The provider reports that a payout came back. If the service had not seen it succeed, the payee never had the money,
 * so the payout failed. This is decided with the row locked, because a notice of the success may have come first.
 */
export function asKnownHere({ kind, status }: Payment, result: Result): Result {
  const hasSucceeded = status === 'SUCCESS' || status === 'REVERSED'
  if (result.kind !== 'reversed' || hasSucceeded || kinds[kind].direction === 'in') return result
  return { kind: 'failed', reason: kind === 'bank_transfer' ? 'BANK_UNAVAILABLE' : 'OPERATOR_UNAVAILABLE' }
}

/** True if a result without a transition only repeats known facts. */
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
  const succeeded = endedPayment(payment, 'SUCCESS', at)
  if (succeeded.kind === 'bank_transfer') return { ...succeeded, sessionId: proof.sessionId ?? null }
  const { completedAt: expiredAt, failureReason: expiredAs } = payment as MomoCollection
  const late = hasExpired(payment) ? { failureReason: null, expiredAt, expiredAs } : {}
  return { ...succeeded, ...late, operatorReference: proof.operatorReference ?? null }
}

function endedPayment(payment: Payment, status: PaymentStatus, at: Date): Payment {
  return { ...payment, status, updatedAt: at, completedAt: at } as Payment
}
