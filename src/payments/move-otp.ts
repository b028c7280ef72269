// The moves around the one-time code of a collection; pure. A code counts when it is taken to the operator, before the
// operator has said whether it is right. So three codes reach an operator, however many arrive at once.

import { minuteMs } from '#base/durations.ts'
import type { EventName } from '#events/catalogue.ts'
import type { CodeWord, MomoCollection, Moment } from './payment.ts'

/** No money moves with a code. */
export type CodeMove = { payment: MomoCollection; dueAt: Date | null | undefined; event?: EventName }

export const otpTriesMax = 3

/**
 * How long after the end of the time for codes the operator's answer to one that was on its way is awaited. Not for ever,
 * because the process that took it there may have died.
 */
const undecidedMsMax = minuteMs

export function codeMoveOf(collection: MomoCollection, word: CodeWord, moment: Moment): CodeMove | undefined {
  const { at, nowMs } = moment
  const { status, otpTries, otpWrong, otpAcceptedAt } = collection
  const waits = status === 'OTP_REQUIRED'
  switch (word.kind) {
    case 'otp-required': {
      if (status !== 'PENDING' || otpAcceptedAt !== null) return undefined
      const otpExpiresAt = new Date(word.expiresAtMs)
      return moved({ ...collection, status: 'OTP_REQUIRED', otpExpiresAt, updatedAt: at }, otpExpiresAt)
    }
    case 'otp-expired':
      return waits && !isUndecided(collection, nowMs) ? failed(collection, 'OTP_EXPIRED', at) : undefined
    case 'otp-tried':
      if (!waits || isCodeLate(collection, nowMs) || otpTries >= otpTriesMax) return undefined
      return moved({ ...collection, otpTries: otpTries + 1 }, undefined)
    case 'otp-undecided':
      if (!waits || otpTries === otpWrong) return undefined
      // The operator may have taken it all the same, so it is asked at once.
      return moved({ ...collection, otpTries: otpTries - 1 }, new Date(nowMs))
    case 'otp-wrong': {
      if (!waits || otpTries === otpWrong) return undefined
      const counted = { ...collection, otpWrong: otpWrong + 1 }
      return counted.otpWrong < otpTriesMax ? moved(counted, undefined) : failed(counted, 'OTP_ATTEMPTS_EXCEEDED', at)
    }
    case 'otp-accepted': {
      if (status === 'FAILED' || otpAcceptedAt !== null) return undefined
      const accepted = { ...collection, otpAcceptedAt: new Date(nowMs), otpHash: word.hash }
      // Its rail may have told of the end before the answer to the code was here.
      if (!waits) return moved(accepted, undefined)
      const lookAt = new Date(nowMs + word.lookAgainMs)
      return moved({ ...accepted, status: 'PENDING', updatedAt: at }, lookAt)
    }
  }
}

/** From this moment on no code is taken. */
export function isCodeLate({ otpExpiresAt }: MomoCollection, nowMs: number): boolean {
  return otpExpiresAt !== null && nowMs >= otpExpiresAt.getTime()
}

function isUndecided({ otpTries, otpWrong, otpExpiresAt }: MomoCollection, nowMs: number): boolean {
  return otpTries > otpWrong && nowMs < (otpExpiresAt?.getTime() ?? 0) + undecidedMsMax
}

function failed(collection: MomoCollection, reason: 'OTP_EXPIRED' | 'OTP_ATTEMPTS_EXCEEDED', at: Date): CodeMove {
  const ended = { ...collection, status: 'FAILED' as const, failureReason: reason, updatedAt: at, completedAt: at }
  return { payment: ended, dueAt: null, event: 'momo.collection.failed' }
}

function moved(payment: MomoCollection, dueAt: Date | undefined): CodeMove {
  return { payment, dueAt }
}
