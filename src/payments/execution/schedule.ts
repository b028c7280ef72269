// When an unfinished payment is looked at again. Payouts are asked about ever more rarely, down to once an hour. A
// collection that its payer can still approve is asked about every few seconds, and an expired one ever more rarely. Below:
// what follows if its rail does not show it (`afterNotFound`).

import { existsAndIsAbsent, endedOtherwise } from '#payments/review-items.ts'
import { type Payment, type SubmissionAnswer, type LastAnswer, isFinal } from '#payments/payment.ts'
import { expiredForMs, endIfOverdue, lateLookMsMin, hasExpired, lateMoneyMsMax } from '#payments/collection-rules.ts'
import { secondMs, hourMs, minuteMs } from '#platform/durations.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { RailState } from './rail-call.ts'
import type { StepMeans, StepResult } from './step.ts'

export type Wait = {
  kind: 'wait'
  ms: number
  asks: number
  /** True if the rail certainly does not have the payment; then the next step submits it instead of asking. */
  unsent: boolean
  /**
   * True if another process may change the payment in the meantime. Then the wait is written now, and the next step
   * reads the payment again.
   */
  postpone?: boolean
  /** Absent if the rail was not asked. */
  railAnswer?: LastAnswer
  /**
   * The time since when the balance at the rail is too small. Absent: the stored time stays while the payment is
   * unsent.
   */
  parkedAt?: Date
  /** A contradiction in the answers of the rail, which an operator must know. */
  contradiction?: string
  /** Absent: the stored answer stays as it was. */
  submissionAnswer?: SubmissionAnswer | null
}

export function askLater(payment: Payment, nowMs: number, railAnswer: LastAnswer): Wait {
  if (hasExpired(payment)) return lookForLateMoney(payment, nowMs, railAnswer)
  const isExpired = payment.kind === 'momo_collection' && nowMs >= payment.expiresAt.getTime()
  if (payment.kind !== 'momo_collection' || isExpired)
    return { ...pauseFor(payment, nowMs, nextAskMs(payment.asks), payment.asks + 1), railAnswer }
  return { ...pauseFor(payment, nowMs, nextCollectionAskMs(nowMs - payment.createdAt.getTime()), 0), railAnswer }
}

/**
 * A provider that did not show a collection may have it all the same, and complete it after it expired here. So the
 * service asks again, after pauses as long as the time since the expiry. It stops when the provider does not know the
 * collection a day or more after the expiry.
 */
function lookForLateMoney(collection: Payment, nowMs: number, railAnswer: LastAnswer): Wait {
  const overMs = expiredForMs(collection, nowMs)
  const { asks } = collection
  const wait = { kind: 'wait' as const, ms: Math.max(overMs, lateLookMsMin), asks: asks + 1, unsent: false, railAnswer }
  const isTold = railAnswer === 'pending' && overMs >= lateMoneyMsMax
  return isTold ? { ...wait, contradiction: endedOtherwise(collection, 'pending') } : wait
}

/** A collection is looked at no later than at the expiry of the collection or of its code. */
export function pauseFor(payment: Payment, nowMs: number, wantedMs: number, asks: number): Wait {
  const wait = { kind: 'wait' as const, asks, unsent: false }
  if (payment.kind !== 'momo_collection') return { ...wait, ms: wantedMs }
  const waitsForCode = payment.status === 'OTP_REQUIRED'
  const ends = [payment.expiresAt, waitsForCode ? payment.otpExpiresAt : null]
  const leftMs = ends.flatMap((end) => (end !== null && end.getTime() > nowMs ? [end.getTime() - nowMs] : []))
  const ms = Math.min(wantedMs, ...leftMs)
  return { ...wait, ms: Number.isFinite(ms) ? ms : nextAskMs(asks), postpone: waitsForCode }
}

const steps = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs]

/** After `asks` questions without a result: 5 s, 30 s, 2 min, 10 min, 30 min, then every hour, without an end. */
export function nextAskMs(asks: number): number {
  return steps[asks] ?? hourMs
}

/** Every 5 s in the first minute, then every 15 s. */
export function nextCollectionAskMs(ageMs: number): number {
  return ageMs < minuteMs ? 5 * secondMs : 15 * secondMs
}

// What follows if a rail does not show a payment that may have been submitted to it. One answer proves nothing, because a
// provider can be behind its own books. Only if the rail shows it absent for the whole grace period of 15 minutes
// (`absenceGraceMs`, rails/outcome.ts) may the payment be submitted again, or go to another rail if this one had refused it.

/**
 * A payment that its rail does not show is asked about at least this often. So a process that takes over such a payment
 * soon notices its absence, and the grace period (`absenceGraceMs`) ends at most this much late.
 */
const absenceLookMs = 5 * minuteMs

/** The key contains the time of the submission, so an absence before that submission does not count. */
function absenceKeyOf({ id, rail, submittedAt }: Payment): string {
  return `${id} ${rail} ${submittedAt?.getTime()}`
}

/** If its rail shows a payment now, absences that were noted before no longer count. */
export function noteShown({ absences }: Pick<StepMeans, 'absences'>, payment: Payment, state: RailState): void {
  if (state.kind !== 'unknown') absences.forget(absenceKeyOf(payment))
}

export function afterNotFound(
  { absences }: StepMeans,
  payment: Payment,
  { nowMs, askedAtMs }: { nowMs: number; askedAtMs: number },
): StepResult {
  const next = askLater(payment, nowMs, 'not-found')
  if (hasExpired(payment)) return { step: expiredForMs(payment, nowMs) < lateMoneyMsMax ? next : { kind: 'rest' } }
  // A payment that stores no rail may be at another rail than the one that was asked. Only an operator can find out, and
  // gets a review item after a day.
  if (payment.rail === null) return { step: next }
  if (absences.sinceMs(absenceKeyOf(payment), askedAtMs) < absenceGraceMs)
    return { step: { ...next, ms: Math.min(next.ms, absenceLookMs) } }
  if (isFinal(payment.status)) return { step: { kind: 'rest', contradiction: endedOtherwise(payment, 'not-found') } }
  if (payment.submissionAnswer === 'exists') return { step: { ...next, contradiction: existsAndIsAbsent } }
  absences.forget(absenceKeyOf(payment))
  const over = endIfOverdue(payment, nowMs)
  if (over !== undefined) return { step: { kind: 'settle', results: [{ ...over, lookAgainMs: lateLookMsMin }] } }
  const wasRefused = payment.submissionAnswer === 'refused'
  const step: Wait = { kind: 'wait', ms: 0, asks: 0, unsent: true, railAnswer: 'not-found' }
  return wasRefused
    ? { step: { ...step, submissionAnswer: null }, leaves: 'refused' }
    : { step: { ...step, submissionAnswer: 'unclear' } }
}
