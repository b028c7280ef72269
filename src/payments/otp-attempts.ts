// The attempts to enter the one-time code of a collection, and the transitions that follow from them; pure. Three wrong
// codes end the collection. An attempt counts when the code is submitted to the operator, before the answer is known, so
// that at most three codes are wrong or under way, however many arrive at once. A code without a clear answer gives its
// attempt back. verify-otp.ts submits the codes.

import type { EventName } from '#events/catalogue.ts'
import { minuteMs } from '#platform/durations.ts'
import { isCodeLate } from './collection-expiry.ts'
import { type CodeResult, type MomoCollection, type Moment, lookAt } from './payment.ts'

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
