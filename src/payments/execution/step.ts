// One step of a payment: submits it to its rail, or asks the rail for its status, and returns what follows. No transaction is
// open here, and nothing is written: record-step.ts writes what follows.

import { endedOtherwise, existsAndIsAbsent, hasAnother } from '#payments/review-items.ts'
import type { BrakeWatch } from '#payments/brakes.ts'
import {
  hasExpired,
  isFinal,
  kinds,
  type LeavingReason,
  type Payment,
  type RailChange,
  type RailWord,
  type Result,
  type SubmissionAnswer,
} from '#payments/payment.ts'
import type { Settling } from '#payments/settle.ts'
import { isCodeLate } from '#payments/transitions.ts'
import { type Context, type Environment, traceStep } from '#platform/context.ts'
import type { Lanes } from '#platform/db/lane.ts'
import { hourMs, minuteMs, secondMs } from '#platform/durations.ts'
import type { FirstSeen } from '#platform/cache.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import type { Unknown } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { type FloatWatch, leavingAfter, railChangeOf } from './failover.ts'
import { noteAnswersOf, railOrderOf, type RailState, submitLeaseMsOf, type Try } from './rail-call.ts'
import type { Postponing } from './record-step.ts'

/** The minimum pause, even if a rail repeatedly advises to ask at once. */
const askAgainMsMin = 10

export type Step =
  | { kind: 'settle'; results: Result[] }
  | Wait
  /** Another rail gets the payment. */
  | { kind: 'change-rail'; change: RailChange }
  /** Nothing more can happen to the payment. */
  | { kind: 'rest'; contradiction?: string }

/** The payment is looked at again later. */
export type Wait = {
  kind: 'wait'
  ms: number
  asks: number
  /** The rail certainly does not have the payment, so the next step submits it instead of asking. */
  unsent: boolean
  /** Another process may change the payment in the meantime, so it is written now, and the next step reads it again. */
  postpone?: boolean
  /** Absent if the rail was not asked. */
  railWord?: RailWord
  /** The time since when the balance at the rail is too small for the payment. */
  parkedAt?: Date
  /** A contradiction in the answers of the rail, which an operator must know. */
  contradiction?: string
  /** Absent: it stays as it was. */
  submissionAnswer?: SubmissionAnswer | null
}

/** A payment that this process has leased. */
export type LeasedPayment = {
  payment: Payment
  environment: Environment
  /** True if the rail may already have the payment. */
  sentBefore: boolean
  /** The row is due at exactly this time, unless another process has claimed the payment since. */
  leaseEnd: Date
  /** The end of the lease by the monotonic clock of this process. Nothing is submitted after it. */
  leaveBeforeMs: number
  /** The answers of the rail during this lease; absent if there are none yet. */
  tries?: Try[]
}

/** If the rail is stopped, the payment is due again after this time; the next claim then holds it back for longer. */
const stoppedMs = 5_000

/**
 * A payment that its rail does not show is asked about at least this often. So a process that takes it over sees it
 * absent soon, and the grace period (`absenceGraceMs`) ends at most this much late.
 */
const absenceLookMs = 5 * minuteMs

/**
 * `absences`: payments that their rails do not show. `floatPatienceMs`: how long a payment waits while the balance at
 * its rail is too small.
 */
export type StepMeans = {
  ctx: Context
  absences: FirstSeen
  rails: RailRegistry
  stops: Pick<BrakeWatch, 'isStopped'>
  floats: FloatWatch
  floatPatienceMs: number
}

/** `leaves`: why another rail may have the payment; set if its own rail certainly does not have it. */
type StepResult = { step: Exclude<Step, { kind: 'change-rail' }>; leaves?: LeavingReason | undefined }

export async function takeStep(means: StepMeans, leased: LeasedPayment): Promise<Step> {
  const { step, leaves } = await ask(means, leased, means.ctx.clock.now())
  const change = leaves === undefined ? undefined : await railChangeOf(means, leased, leaves)
  if (change !== undefined) return { kind: 'change-rail', change }
  return step
}

async function ask(means: StepMeans, leased: LeasedPayment, nowMs: number): Promise<StepResult> {
  const { ctx, rails, stops } = means
  const { payment, environment, sentBefore } = leased
  // No rail knows a collection that was never submitted, so its time alone ends it.
  const over = sentBefore ? undefined : overdue(payment, nowMs)
  if (over !== undefined) return { step: { kind: 'settle', results: [over] } }
  const found = railOrderOf(rails, environment, payment)
  if (found === undefined) {
    const step: Wait = { ...later(payment, nowMs, 'no-rail'), unsent: !sentBefore }
    return sentBefore ? { step } : { step, leaves: 'no-rail' }
  }
  const order = noteAnswersOf(found, (leased.tries ??= []), ctx.clock)
  const span = {
    trace: payment.trace,
    attributes: { 'manilla.rail': payment.rail ?? '', 'manilla.reference': payment.reference },
  }
  if (!sentBefore) {
    const unsent: Wait = { kind: 'wait', ms: 0, asks: payment.asks, unsent: true }
    if (payment.rail !== null && kinds[payment.kind].direction === 'out') {
      const isStopped = stops.isStopped(payment.rail)
      // Usually known without a query; then the payment is submitted in the same turn of the event loop.
      if (typeof isStopped === 'boolean' ? isStopped : await isStopped)
        return { step: { ...unsent, ms: stoppedMs }, leaves: 'stopped' }
    }
    // Nothing is awaited between this check and the submission.
    if (isTooLate(means, leased)) return { step: unsent }
    const submitted = await traceStep(ctx, { name: 'rail submit', ...span }, () => order.submit(leased.leaveBeforeMs))
    const leaves = leavingAfter(submitted)
    const next = stepAfter(payment, submitted, nowMs, false)
    const step = leaves === 'float' && next.kind === 'wait' ? park(means, payment, next, nowMs) : next
    return { step: remembering(payment, step, answerAfterSubmit(payment, submitted)), leaves }
  }
  const askedAtMs = ctx.clock.monotonicMs()
  const state = await traceStep(ctx, { name: 'rail status', ...span }, () => order.status())
  if (state.kind === 'not-found') return afterNotFound(means, payment, { nowMs, askedAtMs })
  noteShown(means, payment, state)
  const step = stepAfter(payment, state, nowMs, true)
  return { step: remembering(payment, step, answerAfterStatus(payment, state)) }
}

/**
 * Returns true if a submission could outlast the rest of the lease, so that another process could submit the payment
 * too.
 */
function isTooLate({ ctx, rails }: StepMeans, { payment, environment, leaveBeforeMs }: LeasedPayment): boolean {
  return ctx.clock.monotonicMs() + submitLeaseMsOf(rails, environment, payment) > leaveBeforeMs
}

function answerAfterSubmit({ submissionAnswer }: Payment, state: RailState): SubmissionAnswer | null {
  if (state.kind === 'pending' && 'exists' in state) return 'exists'
  if (state.kind !== 'unknown') return null
  if (state.why === 'refused') return 'refused'
  return state.sent === false ? submissionAnswer : null
}

/** After a refusal, a rail that shows the payment at all has it, and must continue to show it. */
function answerAfterStatus({ submissionAnswer }: Payment, state: RailState): SubmissionAnswer | null {
  return submissionAnswer === 'refused' && state.kind !== 'unknown' ? 'exists' : submissionAnswer
}

/** A new answer is recorded at once, because another process may continue with the payment. */
function remembering(payment: Payment, step: StepResult['step'], answer: SubmissionAnswer | null): StepResult['step'] {
  if (step.kind !== 'wait' || answer === payment.submissionAnswer) return step
  return { ...step, submissionAnswer: answer, postpone: true }
}

/**
 * Waits for the balance of the rail. The payment was certainly not submitted, so it can fail after a while. The reason
 * does not involve the business.
 */
function park(
  { floatPatienceMs }: StepMeans,
  { kind, parkedAt, submissionAnswer }: Payment,
  wait: Wait,
  nowMs: number,
): StepResult['step'] {
  const since = parkedAt ?? new Date(nowMs)
  const isWithinPatience = nowMs - since.getTime() < floatPatienceMs
  // The rail may still execute an earlier submission, so the payment must not fail.
  if (isWithinPatience || submissionAnswer !== null) return { ...wait, parkedAt: since }
  const reason = kind === 'bank_transfer' ? 'PROVIDER_ERROR' : 'OPERATOR_UNAVAILABLE'
  return { kind: 'settle', results: [{ kind: 'failed', reason }] }
}

/** The key contains the time of the submission, so an absence before it does not count. */
function absenceKeyOf({ id, rail, submittedAt }: Payment): string {
  return `${id} ${rail} ${submittedAt?.getTime()}`
}

/** A payment that its rail shows now was not absent, even if the rail said so before. */
export function noteShown({ absences }: Pick<StepMeans, 'absences'>, payment: Payment, state: RailState): void {
  if (state.kind !== 'unknown') absences.forget(absenceKeyOf(payment))
}

/** The rail does not know the payment now. Only an absence that lasts for the grace period has consequences. */
function afterNotFound(
  { absences }: StepMeans,
  payment: Payment,
  { nowMs, askedAtMs }: { nowMs: number; askedAtMs: number },
): StepResult {
  const next = later(payment, nowMs, 'not-found')
  if (hasExpired(payment)) return { step: expiredForMs(payment, nowMs) < lateMoneyMsMax ? next : { kind: 'rest' } }
  // Another rail than this one may have the payment. Only an operator can find out, and gets a review item after a day.
  if (payment.rail === null) return { step: next }
  if (absences.sinceMs(absenceKeyOf(payment), askedAtMs) < absenceGraceMs)
    return { step: { ...next, ms: Math.min(next.ms, absenceLookMs) } }
  if (isFinal(payment.status)) return { step: { kind: 'rest', contradiction: endedOtherwise(payment, 'not-found') } }
  if (payment.submissionAnswer === 'exists') return { step: { ...next, contradiction: existsAndIsAbsent } }
  absences.forget(absenceKeyOf(payment))
  const over = overdue(payment, nowMs)
  if (over !== undefined) return { step: { kind: 'settle', results: [{ ...over, lookAgainMs: lateLookMsMin }] } }
  const wasRefused = payment.submissionAnswer === 'refused'
  // Only now may the payment be submitted again, and to another rail only if this one had refused it.
  const step: Wait = { kind: 'wait', ms: 0, asks: 0, unsent: true, railWord: 'not-found' }
  return wasRefused
    ? { step: { ...step, submissionAnswer: null }, leaves: 'refused' }
    : { step: { ...step, submissionAnswer: 'unclear' } }
}

/**
 * Returns the end of a collection whose time is over, either because its operator does not have it or because it still
 * waits for a code.
 */
function overdue(payment: Payment, nowMs: number): Extract<Result, { kind: 'failed' | 'otp-expired' }> | undefined {
  if (payment.kind !== 'momo_collection') return undefined
  if (payment.status === 'OTP_REQUIRED') return isCodeLate(payment, nowMs) ? { kind: 'otp-expired' } : undefined
  return nowMs >= payment.expiresAt.getTime() ? { kind: 'failed', reason: 'EXPIRED' } : undefined
}

/** The next step after an answer of the rail to a poll or about a notice. */
export function stepAfter(payment: Payment, state: RailState, nowMs: number, sentBefore: boolean): StepResult['step'] {
  switch (state.kind) {
    case 'pending':
      return state.askAgainAfterMs === undefined
        ? later(payment, nowMs, 'pending')
        : {
            ...waiting(payment, nowMs, Math.max(state.askAgainAfterMs, askAgainMsMin), payment.asks),
            railWord: 'pending',
          }
    case 'unknown':
      return afterUnknown(payment, state, nowMs, state.sent === false && state.why !== 'refused' && !sentBefore)
    case 'otp-required':
      return afterCodeAsked(payment, state.expiresAtMs, nowMs)
    case 'failed':
      if (payment.status === 'FAILED') return { kind: 'rest' }
      // A code may be on its way to the operator now, so this is decided with the row locked.
      if (state.reason === 'OTP_EXPIRED' && overdue(payment, nowMs)?.kind === 'otp-expired')
        return { kind: 'settle', results: [{ kind: 'otp-expired' }] }
      return { kind: 'settle', results: [{ kind: 'failed', reason: state.reason }] }
    case 'succeeded': {
      const again = 'askAgainAfterMs' in state ? state.askAgainAfterMs : undefined
      // Settling refuses a success after a failure and opens a review item.
      if (isFinal(payment.status) && payment.status !== 'FAILED')
        return again === undefined ? { kind: 'rest' } : { kind: 'wait', ms: again, asks: 0, unsent: false }
      return {
        kind: 'settle',
        results: [{ ...succeededBy(state), ...(again === undefined ? {} : { lookAgainMs: again }) }],
      }
    }
    case 'reversed':
      return { kind: 'settle', results: [{ kind: 'reversed' }] }
  }
}

/**
 * If a rate limit delayed the call, it is made when the limit allows. The rail was not asked, so the pauses do not
 * grow.
 */
function afterUnknown(payment: Payment, state: Unknown, nowMs: number, unsent: boolean): Wait {
  const railWord = 'unknown'
  const { askAgainAfterMs, why, detail } = state
  if (why === 'mismatch') return { ...later(payment, nowMs, railWord), contradiction: hasAnother(detail) }
  if (askAgainAfterMs === undefined) return { ...later(payment, nowMs, railWord), unsent }
  // Many questions that a rate limit delayed would come back together, so they wait longer than a submission does.
  const leastMs = unsent ? askAgainMsMin : nextAskMs(0)
  return { ...waiting(payment, nowMs, Math.max(askAgainAfterMs, leastMs), payment.asks), unsent, railWord }
}

function afterCodeAsked(payment: Payment, expiresAtMs: number, nowMs: number): StepResult['step'] {
  if (isFinal(payment.status)) return { kind: 'rest', contradiction: endedOtherwise(payment, 'otp-required') }
  if (payment.kind !== 'momo_collection' || payment.otpAcceptedAt !== null) return later(payment, nowMs, 'pending')
  if (payment.status === 'PENDING') return { kind: 'settle', results: [{ kind: 'otp-required', expiresAtMs }] }
  const over = overdue(payment, nowMs)
  if (over !== undefined) return { kind: 'settle', results: [over] }
  return { ...waiting(payment, nowMs, Number.POSITIVE_INFINITY, payment.asks), railWord: 'pending' }
}

type Succeeded = Extract<RailState, { kind: 'succeeded' }>

function succeededBy(state: Succeeded): Extract<Result, { kind: 'succeeded' }> {
  const cost = 'cost' in state && state.cost !== undefined ? { cost: state.cost } : {}
  return 'sessionId' in state
    ? { kind: 'succeeded', sessionId: state.sessionId, ...cost }
    : { kind: 'succeeded', operatorReference: state.operatorReference, ...cost }
}

/** Looks again on the service's own schedule. */
function later(payment: Payment, nowMs: number, railWord: RailWord): Wait {
  if (hasExpired(payment)) return lookForLateMoney(payment, nowMs, railWord)
  const isExpired = payment.kind === 'momo_collection' && nowMs >= payment.expiresAt.getTime()
  if (payment.kind !== 'momo_collection' || isExpired)
    return { ...waiting(payment, nowMs, nextAskMs(payment.asks), payment.asks + 1), railWord }
  return { ...waiting(payment, nowMs, nextCollectionAskMs(nowMs - payment.createdAt.getTime()), 0), railWord }
}

/**
 * A provider that did not show a collection may have it all the same, and complete it after it expired here. So it is
 * asked again, each time after as long as the collection has been over, until a day has passed and the provider still
 * does not know it.
 */
function lookForLateMoney(collection: Payment, nowMs: number, railWord: RailWord): Wait {
  const overMs = expiredForMs(collection, nowMs)
  const { asks } = collection
  const wait = { kind: 'wait' as const, ms: Math.max(overMs, lateLookMsMin), asks: asks + 1, unsent: false, railWord }
  const isTold = railWord === 'pending' && overMs >= lateMoneyMsMax
  return isTold ? { ...wait, contradiction: endedOtherwise(collection, 'pending') } : wait
}

function expiredForMs({ completedAt }: Payment, nowMs: number): number {
  return nowMs - (completedAt?.getTime() ?? nowMs)
}

const lateLookMsMin = 5 * minuteMs
const lateMoneyMsMax = 24 * hourMs

/** A collection is looked at no later than at its expiry or that of its code. */
function waiting(payment: Payment, nowMs: number, wantedMs: number, asks: number): Wait {
  const wait = { kind: 'wait' as const, asks, unsent: false }
  if (payment.kind !== 'momo_collection') return { ...wait, ms: wantedMs }
  const waitsForCode = payment.status === 'OTP_REQUIRED'
  const ends = [payment.expiresAt, waitsForCode ? payment.otpExpiresAt : null]
  const leftMs = ends.flatMap((end) => (end !== null && end.getTime() > nowMs ? [end.getTime() - nowMs] : []))
  const ms = Math.min(wantedMs, ...leftMs)
  return { ...wait, ms: Number.isFinite(ms) ? ms : nextAskMs(asks), postpone: waitsForCode }
}

// The schedule of questions about a payment whose outcome is unknown.

const steps = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs]

/** After `asks` questions without a result: 5 s, 30 s, 2 min, 10 min, 30 min, then every hour, without an end. */
export function nextAskMs(asks: number): number {
  return steps[asks] ?? hourMs
}

/** The payer approves on the phone: every 5 s in the first minute, then every 15 s. */
export function nextCollectionAskMs(ageMs: number): number {
  return ageMs < minuteMs ? 5 * secondMs : 15 * secondMs
}

/** A payment of this age without an outcome needs an operator. */
export const stuckAfterMs = 24 * hourMs

export type Means = {
  ctx: Context
  rails: RailRegistry
  stops: BrakeWatch
  floats: FloatWatch
  /** Payments that their rails do not show. */
  absences: FirstSeen
  /** How long a payment waits while the balance at its rail is too small. */
  floatPatienceMs: number
  laneOf: Lanes['of']
  settling: Settling
  postponing: Postponing
}
