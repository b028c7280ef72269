// The rules of collections: when one expires, and how often a payer may enter the one-time code (below).
//
// A collection expires 15 minutes after its creation (`collectionLifeMs`, payment.ts) if its mobile operator does not have
// it, or when the time for its code is over. A PENDING collection that the operator may have does not expire:
// execution/step.ts and execution/schedule.ts call `endIfOverdue` for it only when the operator certainly does not have
// it. Also how long the service looks for money that comes after the expiry.

import { minuteMs, hourMs } from '#platform/durations.ts'
import type { EventName } from '#events/catalogue.ts'
import { type Payment, lookAt, type CodeResult, type MomoCollection, type Result, type Moment } from './payment.ts'

/** If the collection is PENDING, the caller must know that the mobile operator does not have it. */
export function endIfOverdue(
  payment: Payment,
  nowMs: number,
): Extract<Result, { kind: 'failed' | 'otp-expired' }> | undefined {
  if (payment.kind !== 'momo_collection') return undefined
  if (payment.status === 'OTP_REQUIRED') return isCodeLate(payment, nowMs) ? { kind: 'otp-expired' } : undefined
  return nowMs >= payment.expiresAt.getTime() ? { kind: 'failed', reason: 'EXPIRED' } : undefined
}

export function isCodeLate({ otpExpiresAt }: MomoCollection, nowMs: number): boolean {
  return otpExpiresAt !== null && nowMs >= otpExpiresAt.getTime()
}

/**
 * True if the collection ended because its time was over, not because the operator refused it. Then the payer's money
 * may still come.
 */
export function hasExpired({ kind, failureReason }: Payment): boolean {
  return kind === 'momo_collection' && (failureReason === 'EXPIRED' || failureReason === 'OTP_EXPIRED')
}

export function expiredForMs({ completedAt }: Payment, nowMs: number): number {
  return nowMs - (completedAt?.getTime() ?? nowMs)
}

/** The wait before the first look at an expired collection, and the shortest between two looks. */
export const lateLookMsMin = 5 * minuteMs
/** A collection that its provider does not know is looked at until this long after its expiry. */
export const lateMoneyMsMax = 24 * hourMs

// The attempts to enter the one-time code of a collection, and the transitions that follow from them; pure. Three wrong
// codes end the collection. An attempt counts when the code is submitted to the operator, before the answer is known, so
// that at most three codes are wrong or under way, however many arrive at once. A code without a clear answer gives its
// attempt back. verify-otp.ts submits the codes.

/** A transition around a code has no postings, because a code moves no money. */
type CodeTransition = { payment: MomoCollection; dueAt: Date | null | undefined; event?: EventName }

export const otpTriesMax = 3

/**
 * When the time for codes is over, the service still waits this long for the operator's answer to a submitted code. The
 * wait is limited because the process that submitted the code may have died.
 */
const undecidedMsMax = minuteMs

export function codeTransitionOf(
  collection: MomoCollection,
  result: CodeResult,
  moment: Moment,
): CodeTransition | undefined {
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
