// The transitions between the states of a payment, as docs/states.md draws them, and those of the one-time code of a
// collection. ledger/chart.ts says which accounts they debit and credit. All functions here are pure.

import type { EventName } from '#events/catalogue.ts'
import { type Posting, failedPostings, reversedPostings, succeededPostings } from '#ledger/chart.ts'
import { assert } from '#platform/assert.ts'
import { minuteMs } from '#platform/durations.ts'
import {
  type CodeResult,
  type MomoCollection,
  type Moment,
  kinds,
  isFinal,
  type Payment,
  type PaymentStatus,
  type Result,
} from './payment.ts'
import { hasExpired, isCodeLate } from './collection-expiry.ts'

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

function lookAt({ lookAgainMs }: { lookAgainMs?: number }, nowMs: number): Date | null {
  return lookAgainMs === undefined ? null : new Date(nowMs + lookAgainMs)
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

// The transitions around the one-time code of a collection. An attempt counts when the code is submitted to the
// operator, before the answer is known, so that at most three are wrong or under way, however many arrive at once. A code
// without a clear answer gives its attempt back.

/** A transition around a code has no postings, because a code moves no money. */
type CodeTransition = { payment: MomoCollection; dueAt: Date | null | undefined; event?: EventName }

export const otpTriesMax = 3

/**
 * When the time for codes is over, the service still waits this long for the operator's answer to a submitted code. The
 * wait is limited because the process that submitted the code may have died.
 */
const undecidedMsMax = minuteMs

function codeTransitionOf(collection: MomoCollection, result: CodeResult, moment: Moment): CodeTransition | undefined {
  const { at, nowMs } = moment
  const { status, otpTries, otpWrong, otpAcceptedAt } = collection
  const waits = status === 'OTP_REQUIRED'
  switch (result.kind) {
    case 'otp-required': {
      if (status !== 'PENDING' || otpAcceptedAt !== null) return undefined
      const otpExpiresAt = new Date(result.expiresAtMs)
      return moved({ ...collection, status: 'OTP_REQUIRED', otpExpiresAt, updatedAt: at }, otpExpiresAt)
    }
    case 'otp-expired':
      if (!waits || isUndecided(collection, nowMs)) return undefined
      return { ...codeFailed(collection, 'OTP_EXPIRED', at), dueAt: lookAt(result, nowMs) }
    case 'otp-tried':
      if (!waits || isCodeLate(collection, nowMs) || otpTries >= otpTriesMax) return undefined
      return moved({ ...collection, otpTries: otpTries + 1 }, undefined)
    case 'otp-undecided':
      if (!waits || otpTries === otpWrong) return undefined
      // The operator may have accepted the code anyway, so the service asks at once.
      return moved({ ...collection, otpTries: otpTries - 1 }, new Date(nowMs))
    case 'otp-wrong': {
      if (!waits || otpTries === otpWrong) return undefined
      const counted = { ...collection, otpWrong: otpWrong + 1 }
      return counted.otpWrong < otpTriesMax
        ? moved(counted, undefined)
        : codeFailed(counted, 'OTP_ATTEMPTS_EXCEEDED', at)
    }
    case 'otp-accepted': {
      if (status === 'FAILED' || otpAcceptedAt !== null) return undefined
      const accepted = { ...collection, otpAcceptedAt: new Date(nowMs), otpHash: result.hash }
      // The rail may have reported the end before it answered the code.
      if (!waits) return moved(accepted, undefined)
      return moved({ ...accepted, status: 'PENDING', updatedAt: at }, new Date(nowMs + result.lookAgainMs))
    }
  }
}

function isUndecided({ otpTries, otpWrong, otpExpiresAt }: MomoCollection, nowMs: number): boolean {
  return otpTries > otpWrong && nowMs < (otpExpiresAt?.getTime() ?? 0) + undecidedMsMax
}

function codeFailed(
  collection: MomoCollection,
  reason: 'OTP_EXPIRED' | 'OTP_ATTEMPTS_EXCEEDED',
  at: Date,
): CodeTransition {
  const ended = { ...collection, status: 'FAILED' as const, failureReason: reason, updatedAt: at, completedAt: at }
  return { payment: ended, dueAt: null, event: 'momo.collection.failed' }
}

function moved(payment: MomoCollection, dueAt: Date | undefined): CodeTransition {
  return { payment, dueAt }
}
