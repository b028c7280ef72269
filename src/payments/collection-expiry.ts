// When a collection expires: 15 minutes after its creation if its mobile operator does not have it, or when the time for
// its code is over. A PENDING collection that the operator may have does not expire: execution/step.ts and
// execution/absence.ts call `endIfOverdue` for it only when the operator certainly does not have it. Also how long the
// service looks for money that comes after the expiry.

import { hourMs, minuteMs } from '#platform/durations.ts'
import type { MomoCollection, Payment, Result } from './payment.ts'

export const collectionLifeMs = 15 * minuteMs

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
