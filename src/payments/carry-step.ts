// One step of a payment's way: put it to its rail, or ask the rail what became of it, and say what follows. No transaction
// is open here, and nothing is written: carry-leases.ts does what follows.

import { traced, type Context, type Environment } from '#base/context.ts'
import type { Unknown } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { nextAskMs, nextCollectionAskMs, stuckAfterMs } from './carry-schedule.ts'
import { isCodeLate } from './move-otp.ts'
import { unconcernedMs, withoutRailMsMax, type Concern } from './concern.ts'
import type { FloatWatch } from './float-watch.ts'
import { kinds } from './kinds.ts'
import { isFinal, type LeavingReason, type Payment, type RailChange, type RailWord, type Result } from './payment.ts'
import { leavingAfter, railChangeOf } from './rail-change.ts'
import { railOrderOf, submitLeaseMsOf, type RailState } from './rail-order.ts'
import { noted, type Try } from './tries.ts'
import type { BrakeWatch } from './brakes.ts'

/** A rail that says "ask now" again and again is not asked more often than this. */
const askAgainMsMin = 10

export type Step =
  | { kind: 'settle'; results: Result[] }
  | Wait
  /** Another rail is to have it. */
  | { kind: 'change-rail'; change: RailChange }
  /** Nothing more can happen to the payment. `contradiction`: what its rail says instead; a person must look at it. */
  | { kind: 'rest'; contradiction?: string }

/** Look again later. */
export type Wait = {
  kind: 'wait'
  ms: number
  asks: number
  /** The rail certainly does not have it, so the next step sends it instead of asking. */
  unsent: boolean
  /** Another process may change it meanwhile, so the next step begins with reading it anew. */
  putDown?: boolean
  /** Absent: the rail was not asked. */
  railWord?: RailWord
  /** What a person should look at. */
  concern?: Concern
  /** Since when its rail's balance is too small for it. */
  parkedAt?: Date
}

/** A payment that this process keeps to itself for a while. */
export type Leased = {
  payment: Payment
  environment: Environment
  /** It may have left the building. */
  sentBefore: boolean
  /** The row is due at exactly this time, unless another process has taken the payment up since. */
  leaseEnd: Date
  /** What its rail has answered in this hand; absent: nothing yet. */
  tries?: Try[]
}

/** How soon a payment whose rail was stopped is looked at again; the claim then holds it for longer. */
const stoppedMs = 5_000

/** `floatPatienceMs`: for so long a payment waits for its rail's balance. */
export type StepMeans = {
  ctx: Context
  rails: RailRegistry
  stops: Pick<BrakeWatch, 'isStopped'>
  floats: FloatWatch
  floatPatienceMs: number
}

/** `leaves`: its rail certainly has not got it, and this is why another one may have it. */
type Found = { step: Exclude<Step, { kind: 'change-rail' }>; leaves?: LeavingReason | undefined }

export async function takeStep(means: StepMeans, leased: Leased): Promise<Step> {
  const { ctx } = means
  const { payment } = leased
  const nowMs = ctx.clock.now()
  const { step, leaves } = await ask(means, leased, nowMs)
  const change = leaves === undefined ? undefined : await railChangeOf(means, leased, leaves)
  if (change !== undefined) return { kind: 'change-rail', change }
  const next = leaves === undefined ? step : withoutAnother(means, payment, { step, leaves }, nowMs)
  if (next.kind === 'wait' && !isFinal(payment.status) && nowMs - payment.createdAt.getTime() > stuckAfterMs) {
    ctx.metrics.paymentsStuck.inc()
    return { ...next, concern: next.concern ?? 'payment-stuck' }
  }
  return next
}

/** It stays where it is. When it came there from another rail, none is left for it, and a person is told. */
function withoutAnother({ ctx }: StepMeans, payment: Payment, { step, leaves }: Found, nowMs: number): Found['step'] {
  const wasElsewhere = payment.attempts > 1
  if (step.kind !== 'wait' || (!wasElsewhere && leaves !== 'no-rail')) return step
  ctx.metrics.paymentsWithoutRail.inc()
  const isOld = nowMs - payment.createdAt.getTime() > unconcernedMs
  return wasElsewhere && isOld ? { ...step, concern: 'rails-exhausted' } : step
}

async function ask(means: StepMeans, leased: Leased, nowMs: number): Promise<Found> {
  const { ctx, rails, stops } = means
  const { payment, environment, sentBefore } = leased
  // No rail knows of what never left the building, so its time alone ends it.
  const over = sentBefore ? undefined : overdue(payment, nowMs)
  if (over !== undefined) return { step: { kind: 'settle', results: [over] } }
  const found = railOrderOf(rails, environment, payment)
  if (found === undefined) {
    const wait: Wait = { ...later(payment, nowMs, 'no-rail'), unsent: !sentBefore }
    const isOld = nowMs - payment.createdAt.getTime() > withoutRailMsMax
    const step: Wait = isOld ? { ...wait, concern: 'payment-without-rail' } : wait
    if (!sentBefore) return { step, leaves: 'no-rail' }
    ctx.metrics.paymentsWithoutRail.inc()
    return { step }
  }
  const order = noted(found, (leased.tries ??= []), ctx.clock)
  const span = {
    trace: payment.trace,
    attributes: { 'manilla.rail': payment.rail ?? '', 'manilla.reference': payment.reference },
  }
  if (!sentBefore) {
    const unsent: Wait = { kind: 'wait', ms: 0, asks: payment.asks, unsent: true }
    if (payment.rail !== null && kinds[payment.kind].direction === 'out') {
      const isStopped = stops.isStopped(payment.rail)
      // Known as a rule; then it is sent on in this very turn.
      if (typeof isStopped === 'boolean' ? isStopped : await isStopped)
        return { step: { ...unsent, ms: stoppedMs }, leaves: 'stopped' }
    }
    // Nothing is waited for between this and the rail.
    if (isTooLate(means, leased)) return { step: unsent }
    const leaveBeforeMs = leased.leaseEnd.getTime()
    const submitted = await traced(ctx, { name: 'rail submit', ...span }, () => order.submit(leaveBeforeMs))
    const leaves = leavingAfter(submitted)
    const next = follow(payment, submitted, nowMs, false)
    return { step: leaves === 'float' && next.kind === 'wait' ? park(means, payment, next, nowMs) : next, leaves }
  }
  const state = await traced(ctx, { name: 'rail status', ...span }, () => order.status())
  return state.kind === 'not-found' ? afterNotFound(payment, nowMs) : { step: follow(payment, state, nowMs, true) }
}

/** So much of the lease has passed that a submission could outlive it: another process may be about to send it, too. */
function isTooLate({ ctx, rails }: StepMeans, { payment, environment, leaseEnd }: Leased): boolean {
  return ctx.clock.now() + submitLeaseMsOf(rails, environment, payment) > leaseEnd.getTime()
}

/** It certainly did not leave, so that giving up costs nobody anything. The reason is nothing of the business's. */
function park({ floatPatienceMs }: StepMeans, { kind, parkedAt }: Payment, wait: Wait, nowMs: number): Found['step'] {
  const since = parkedAt ?? new Date(nowMs)
  if (nowMs - since.getTime() < floatPatienceMs) return { ...wait, parkedAt: since }
  const reason = kind === 'bank_transfer' ? 'PROVIDER_ERROR' : 'OPERATOR_UNAVAILABLE'
  return { kind: 'settle', results: [{ kind: 'failed', reason }] }
}

/** The rail proves that it never had the payment. */
function afterNotFound(payment: Payment, nowMs: number): Found {
  if (isFinal(payment.status)) return { step: { kind: 'rest', contradiction: 'not-found' } }
  // Another rail than this one may have it. Only a person can find out, who is called after a day.
  if (payment.rail === null) return { step: later(payment, nowMs, 'not-found') }
  const over = overdue(payment, nowMs)
  if (over !== undefined) return { step: { kind: 'settle', results: [over] } }
  // Only now may the payment be sent again, or to another rail.
  const step: Wait = { kind: 'wait', ms: 0, asks: payment.asks, unsent: true, railWord: 'not-found' }
  return { step, leaves: 'not-found' }
}

/** How a collection ends by its time: one that its operator does not have, or that still waits for a code. */
function overdue(payment: Payment, nowMs: number): Result | undefined {
  if (payment.kind !== 'momo_collection') return undefined
  if (payment.status === 'OTP_REQUIRED') return isCodeLate(payment, nowMs) ? { kind: 'otp-expired' } : undefined
  return nowMs >= payment.expiresAt.getTime() ? { kind: 'failed', reason: 'EXPIRED' } : undefined
}

/** What follows from the rail's word, whoever asked for it. */
export function follow(payment: Payment, state: RailState, nowMs: number, sentBefore: boolean): Found['step'] {
  switch (state.kind) {
    case 'pending':
      return state.askAgainAfterMs === undefined
        ? later(payment, nowMs, 'pending')
        : {
            ...waiting(payment, nowMs, Math.max(state.askAgainAfterMs, askAgainMsMin), payment.asks),
            railWord: 'pending',
          }
    case 'unknown':
      return afterUnknown(payment, state, nowMs, state.sent === false && !sentBefore)
    case 'otp-required':
      return afterCodeAsked(payment, state.expiresAtMs, nowMs)
    case 'failed':
      if (isFinal(payment.status)) return { kind: 'rest', contradiction: state.kind }
      // A code may be on its way to the operator at this moment, so that this is decided with the row locked.
      if (state.reason === 'OTP_EXPIRED' && overdue(payment, nowMs)?.kind === 'otp-expired')
        return { kind: 'settle', results: [{ kind: 'otp-expired' }] }
      return { kind: 'settle', results: [{ kind: 'failed', reason: state.reason }] }
    case 'succeeded': {
      const again = 'askAgainAfterMs' in state ? state.askAgainAfterMs : undefined
      if (isFinal(payment.status))
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

/** What the rail had no room for goes as soon as there is; it was no fruitless question, so the pauses do not grow. */
function afterUnknown(payment: Payment, { askAgainAfterMs }: Unknown, nowMs: number, unsent: boolean): Wait {
  const railWord = 'unknown'
  if (!unsent || askAgainAfterMs === undefined) return { ...later(payment, nowMs, railWord), unsent }
  return { ...waiting(payment, nowMs, Math.max(askAgainAfterMs, askAgainMsMin), payment.asks), unsent, railWord }
}

function afterCodeAsked(payment: Payment, expiresAtMs: number, nowMs: number): Found['step'] {
  if (isFinal(payment.status)) return { kind: 'rest', contradiction: 'otp-required' }
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

/** Looks again by our own schedule. */
function later(payment: Payment, nowMs: number, railWord: RailWord): Wait {
  const isExpired = payment.kind === 'momo_collection' && nowMs >= payment.expiresAt.getTime()
  if (payment.kind !== 'momo_collection' || isExpired)
    return { ...waiting(payment, nowMs, nextAskMs(payment.asks), payment.asks + 1), railWord }
  return { ...waiting(payment, nowMs, nextCollectionAskMs(nowMs - payment.createdAt.getTime()), 0), railWord }
}

/** A collection is looked at no later than when its time, or that of its code, is over. */
function waiting(payment: Payment, nowMs: number, wantedMs: number, asks: number): Wait {
  const wait = { kind: 'wait' as const, asks, unsent: false }
  if (payment.kind !== 'momo_collection') return { ...wait, ms: wantedMs }
  const waitsForCode = payment.status === 'OTP_REQUIRED'
  const ends = [payment.expiresAt, waitsForCode ? payment.otpExpiresAt : null]
  const leftMs = ends.flatMap((end) => (end !== null && end.getTime() > nowMs ? [end.getTime() - nowMs] : []))
  const ms = Math.min(wantedMs, ...leftMs)
  return { ...wait, ms: Number.isFinite(ms) ? ms : nextAskMs(asks), putDown: waitsForCode }
}
