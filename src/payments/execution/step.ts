// One step of a payment: submits it to its rail, or asks the rail for its status, and returns what follows. No transaction is
// open here, and nothing is written: record-step.ts writes what follows.

import type { BrakeWatch } from '#payments/brakes.ts'
import {
  isFinal,
  kinds,
  type LeavingReason,
  type Payment,
  type RailChange,
  type Result,
  type SubmissionAnswer,
} from '#payments/payment.ts'
import { endedOtherwise, hasAnother } from '#payments/review-items.ts'
import type { Settling } from '#payments/settle.ts'
import type { FirstSeen } from '#platform/cache.ts'
import { type Context, type Environment, traceStep } from '#platform/context.ts'
import type { Lanes } from '#platform/db/lane.ts'
import type { Unknown } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { afterNotFound, noteShown, askLater, nextAskMs, pauseFor, type Wait } from './schedule.ts'
import { type FloatWatch, leavingAfter, railChangeOf } from './failover.ts'
import { noteAnswersOf, type RailOrder, railOrderOf, type RailState, submitLeaseMsOf, type Try } from './rail-call.ts'
import type { Postponing } from './record-step.ts'
import { endIfOverdue } from '#payments/collection-rules.ts'

/** The minimum pause, even if a rail repeatedly advises to ask at once. */
const askAgainMsMin = 10

export type Step =
  | { kind: 'settle'; results: Result[] }
  | Wait
  | { kind: 'change-rail'; change: RailChange }
  /** The loop does not look at the payment again. */
  | { kind: 'rest'; contradiction?: string }

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

export type StepMeans = Pick<Means, 'ctx' | 'rails' | 'floats' | 'absences' | 'floatPatienceMs'> & {
  stops: Pick<BrakeWatch, 'isStopped'>
}

/** `leaves`: why another rail may take the payment; set if its own rail certainly does not have it. */
export type StepResult = { step: Exclude<Step, { kind: 'change-rail' }>; leaves?: LeavingReason | undefined }

export async function takeStep(means: StepMeans, leased: LeasedPayment): Promise<Step> {
  const { step, leaves } = await nextStep(means, leased, means.ctx.clock.now())
  const change =
    leaves === undefined
      ? undefined
      : await railChangeOf(means, leased, leaves).catch(cannotRead(means, leased.payment))
  return change === undefined ? step : { kind: 'change-rail', change }
}

/** Logs an error that must not end the step, because the row would then count as submitted, whatever its rail answered. */
function cannotRead({ ctx }: StepMeans, { id }: Payment): (error: unknown) => undefined {
  return (error) => {
    ctx.log.warn({ payment: id, err: error }, 'cannot read which rails may have a payment')
    return undefined
  }
}

async function nextStep(means: StepMeans, leased: LeasedPayment, nowMs: number): Promise<StepResult> {
  const { payment, environment, sentBefore } = leased
  // No rail knows a collection that was never submitted, so it ends when its time is over, without a question to a
  // rail.
  const over = sentBefore ? undefined : endIfOverdue(payment, nowMs)
  if (over !== undefined) return { step: { kind: 'settle', results: [over] } }
  const found = railOrderOf(means.rails, environment, payment)
  if (found === undefined) {
    const step: Wait = { ...askLater(payment, nowMs, 'no-rail'), unsent: !sentBefore }
    return sentBefore ? { step } : { step, leaves: 'no-rail' }
  }
  const order = noteAnswersOf(found, (leased.tries ??= []), means.ctx.clock)
  return sentBefore ? askStatus(means, leased, order, nowMs) : submit(means, leased, order, nowMs)
}

async function submit(means: StepMeans, leased: LeasedPayment, order: RailOrder, nowMs: number): Promise<StepResult> {
  const { payment } = leased
  const unsent: Wait = { kind: 'wait', ms: 0, asks: payment.asks, unsent: true }
  if (payment.rail !== null && kinds[payment.kind].direction === 'out') {
    const known = means.stops.isStopped(payment.rail)
    // The brakes are usually known without a query; then the payment is submitted in the same turn of the event loop.
    const isStopped = typeof known === 'boolean' ? known : await known.catch(cannotRead(means, payment))
    if (isStopped !== false) {
      const step = { ...unsent, ms: stoppedMs }
      return isStopped === undefined ? { step } : { step, leaves: 'stopped' }
    }
  }
  // Nothing is awaited between this check and the submission, so the check still holds when the payment is submitted.
  if (isTooLate(means, leased)) return { step: unsent }
  const span = spanOf('rail submit', payment)
  const submitted = await traceStep(means.ctx, span, () => order.submit(leased.leaveBeforeMs))
  const leaves = leavingAfter(submitted)
  // The rail may still execute the earlier submission, so its refusal of this one neither ends nor moves the payment. A
  // refusal because of the payee is different: it would be the same for both submissions.
  if (submitted.kind === 'failed' && leaves === 'refused' && payment.submissionAnswer === 'unclear')
    return { step: askLater(payment, nowMs, 'unknown') }
  const next = stepAfter(payment, submitted, nowMs, false)
  const step = leaves === 'float' && next.kind === 'wait' ? park(means, payment, next, nowMs) : next
  return { step: remembering(payment, step, answerAfterSubmit(payment, submitted)), leaves }
}

async function askStatus(
  means: StepMeans,
  { payment }: LeasedPayment,
  order: RailOrder,
  nowMs: number,
): Promise<StepResult> {
  const askedAtMs = means.ctx.clock.monotonicMs()
  const state = await traceStep(means.ctx, spanOf('rail status', payment), () => order.status())
  if (state.kind === 'not-found') return afterNotFound(means, payment, { nowMs, askedAtMs })
  noteShown(means, payment, state)
  const step = stepAfter(payment, state, nowMs, true)
  return { step: remembering(payment, step, answerAfterStatus(payment, state)) }
}

function spanOf(name: string, { trace, rail, reference }: Payment): Parameters<typeof traceStep>[1] {
  return { name, trace, attributes: { 'manilla.rail': rail ?? '', 'manilla.reference': reference } }
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
  if (submissionAnswer === 'unclear') return 'unclear'
  if (state.why === 'refused') return 'refused'
  return state.sent === false ? submissionAnswer : null
}

/** If a rail shows a payment that it refused before, the rail has the payment and must continue to show it. */
function answerAfterStatus({ submissionAnswer }: Payment, state: RailState): SubmissionAnswer | null {
  return submissionAnswer === 'refused' && state.kind !== 'unknown' ? 'exists' : submissionAnswer
}

/** A new answer is recorded at once, because another process may continue with the payment. */
function remembering(payment: Payment, step: StepResult['step'], answer: SubmissionAnswer | null): StepResult['step'] {
  if (step.kind !== 'wait' || answer === payment.submissionAnswer) return step
  return { ...step, submissionAnswer: answer, postpone: true }
}

/**
 * Waits until the balance at the rail suffices. After a while the payment fails, for a reason that does not blame the
 * business.
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

/** The next step after an answer of the rail to a submission, a poll, or the question that a notice causes. */
export function stepAfter(payment: Payment, state: RailState, nowMs: number, sentBefore: boolean): StepResult['step'] {
  switch (state.kind) {
    case 'pending':
      return state.askAgainAfterMs === undefined
        ? askLater(payment, nowMs, 'pending')
        : {
            ...pauseFor(payment, nowMs, Math.max(state.askAgainAfterMs, askAgainMsMin), payment.asks),
            railAnswer: 'pending',
          }
    case 'unknown': {
      const isUnsent = state.sent === false && state.why !== 'refused' && !sentBefore
      return afterUnknown(payment, state, nowMs, isUnsent)
    }
    case 'otp-required':
      return afterCodeAsked(payment, state.expiresAtMs, nowMs)
    case 'failed':
      if (payment.status === 'FAILED') return { kind: 'rest' }
      // A code may be on its way to the operator now, so this is decided with the row locked.
      if (state.reason === 'OTP_EXPIRED' && endIfOverdue(payment, nowMs)?.kind === 'otp-expired')
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
  const railAnswer = 'unknown'
  const { askAgainAfterMs, why, detail } = state
  if (why === 'mismatch') return { ...askLater(payment, nowMs, railAnswer), contradiction: hasAnother(detail) }
  if (askAgainAfterMs === undefined) return { ...askLater(payment, nowMs, railAnswer), unsent }
  // Many questions that a rate limit delayed would come back together, so they wait longer than a submission does.
  const leastMs = unsent ? askAgainMsMin : nextAskMs(0)
  return { ...pauseFor(payment, nowMs, Math.max(askAgainAfterMs, leastMs), payment.asks), unsent, railAnswer }
}

function afterCodeAsked(payment: Payment, expiresAtMs: number, nowMs: number): StepResult['step'] {
  if (isFinal(payment.status)) return { kind: 'rest', contradiction: endedOtherwise(payment, 'otp-required') }
  if (payment.kind !== 'momo_collection' || payment.otpAcceptedAt !== null) return askLater(payment, nowMs, 'pending')
  if (payment.status === 'PENDING') return { kind: 'settle', results: [{ kind: 'otp-required', expiresAtMs }] }
  const over = endIfOverdue(payment, nowMs)
  if (over !== undefined) return { kind: 'settle', results: [over] }
  return { ...pauseFor(payment, nowMs, Number.POSITIVE_INFINITY, payment.asks), railAnswer: 'pending' }
}

type Succeeded = Extract<RailState, { kind: 'succeeded' }>

function succeededBy(state: Succeeded): Extract<Result, { kind: 'succeeded' }> {
  const cost = 'cost' in state && state.cost !== undefined ? { cost: state.cost } : {}
  return 'sessionId' in state
    ? { kind: 'succeeded', sessionId: state.sessionId, ...cost }
    : { kind: 'succeeded', operatorReference: state.operatorReference, ...cost }
}

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
