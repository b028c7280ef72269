// What follows if a rail does not show a payment that may have been submitted to it. One answer proves nothing, because a
// provider can be behind its own books. Only if the rail shows it absent for the whole grace period of 15 minutes
// (`absenceGraceMs`, rails/outcome.ts) may the payment be submitted again, or go to another rail if this one had refused it.

import { endedOtherwise, existsAndIsAbsent } from '#payments/contradictions.ts'
import { endIfOverdue, expiredForMs, hasExpired, lateLookMsMin, lateMoneyMsMax } from '#payments/collection-expiry.ts'
import { isFinal, type Payment } from '#payments/payment.ts'
import { minuteMs } from '#platform/durations.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { RailState } from './rail-call.ts'
import { askLater, type Wait } from './schedule.ts'
import type { StepMeans, StepResult } from './step.ts'

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
