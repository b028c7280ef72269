// One step of a payment's way: hand it to its rail, or ask the rail what became of it, and say what follows. No
// transaction is open here, and nothing is written: what follows is carried out by whoever holds the payment.

import type { Context, Environment } from '#base/context.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { isCodeLate } from './code-move.ts'
import { guarded } from './guarded.ts'
import { isFinal, type Payment, type Result } from './payment.ts'
import { railTurnOf, type RailState } from './rail-turn.ts'
import { nextAskMs, nextCollectionAskMs, stuckAfterMs } from './schedule.ts'

/** A rail that says "ask now" again and again is not asked more often than this. */
const askAgainMsMin = 10

export type Step =
  | { kind: 'settle'; results: Result[] }
  /**
   * Look again later. `unsent`: it is certain that the rail does not have it, so it is sent then instead of asked for.
   * `putDown`: others may change it meanwhile, so it is read anew then.
   */
  | { kind: 'wait'; ms: number; asks: number; unsent: boolean; putDown?: boolean }
  /** Nothing more can happen to it. `contradiction`: what its rail says instead, which a person must look at. */
  | { kind: 'rest'; contradiction?: string }

export type Held = {
  payment: Payment
  environment: Environment
  /** It may have left the building. */
  sentBefore: boolean
  /** Until then it is ours: the row is due at exactly this time, unless somebody else has it by now. */
  leaseEnd: Date
}

export async function advance(ctx: Context, rails: RailRegistry, held: Held): Promise<Step> {
  const { payment } = held
  const nowMs = ctx.clock.now()
  const next = await ask(ctx, rails, held, nowMs)
  if (next.kind === 'wait' && !isFinal(payment.status) && nowMs - payment.createdAt.getTime() > stuckAfterMs) {
    ctx.metrics.paymentsStuck.inc()
    ctx.log.error({ payment: payment.id, asks: next.asks }, 'a payment has had no outcome for a day; ask the provider')
  }
  return next
}

async function ask(ctx: Context, rails: RailRegistry, held: Held, nowMs: number): Promise<Step> {
  const { payment, environment, sentBefore } = held
  // What never left is known to nobody, so its time alone ends it.
  const over = sentBefore ? undefined : overdue(payment, nowMs)
  if (over !== undefined) return { kind: 'settle', results: [over] }
  const turn = railTurnOf(rails, environment, payment)
  if (turn === undefined) {
    ctx.log.error({ payment: payment.id, environment }, 'an accepted payment has no rail, bank or operator to go to')
    return { ...later(payment, nowMs), unsent: !sentBefore }
  }
  if (!sentBefore) return follow(payment, await guarded(() => turn.submit()), nowMs, false)
  const state = await guarded(() => turn.status())
  return state.kind === 'not-found' ? afterNotFound(payment, nowMs) : follow(payment, state, nowMs, true)
}

/** The rail proves that it never had it. */
function afterNotFound(payment: Payment, nowMs: number): Step {
  if (isFinal(payment.status)) return { kind: 'rest', contradiction: 'not-found' }
  const over = overdue(payment, nowMs)
  if (over !== undefined) return { kind: 'settle', results: [over] }
  // Only now may it be sent again.
  return { kind: 'wait', ms: 0, asks: payment.asks, unsent: true }
}

/** What becomes of a collection that its operator does not have, or for which it still waits for a code. */
function overdue(payment: Payment, nowMs: number): Result | undefined {
  if (payment.kind !== 'momo_collection') return undefined
  if (payment.status === 'OTP_REQUIRED') return isCodeLate(payment, nowMs) ? { kind: 'otp-expired' } : undefined
  return nowMs >= payment.expiresAt.getTime() ? { kind: 'failed', reason: 'EXPIRED' } : undefined
}

function follow(payment: Payment, state: RailState, nowMs: number, sentBefore: boolean): Step {
  switch (state.kind) {
    case 'pending':
      return state.askAgainAfterMs === undefined
        ? later(payment, nowMs)
        : waiting(payment, nowMs, Math.max(state.askAgainAfterMs, askAgainMsMin), payment.asks)
    case 'unknown':
      return { ...later(payment, nowMs), unsent: state.sent === false && !sentBefore }
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
    case 'reversed': {
      const reversed: Result = { kind: 'reversed' }
      // Nobody may have asked between its success and its return: both happened, in this order.
      return { kind: 'settle', results: isFinal(payment.status) ? [reversed] : [succeededBy(state), reversed] }
    }
  }
}

function afterCodeAsked(payment: Payment, expiresAtMs: number, nowMs: number): Step {
  if (isFinal(payment.status)) return { kind: 'rest', contradiction: 'otp-required' }
  if (payment.kind !== 'momo_collection' || payment.otpAcceptedAt !== null) return later(payment, nowMs)
  if (payment.status === 'PENDING') return { kind: 'settle', results: [{ kind: 'otp-required', expiresAtMs }] }
  const over = overdue(payment, nowMs)
  if (over !== undefined) return { kind: 'settle', results: [over] }
  return waiting(payment, nowMs, Number.POSITIVE_INFINITY, payment.asks)
}

type Proven = Extract<RailState, { kind: 'succeeded' | 'reversed' }>

function succeededBy(state: Proven): Extract<Result, { kind: 'succeeded' }> {
  return 'sessionId' in state
    ? { kind: 'succeeded', sessionId: state.sessionId }
    : { kind: 'succeeded', operatorReference: state.operatorReference }
}

/** By our own schedule. */
function later(payment: Payment, nowMs: number): Wait {
  const isExpired = payment.kind === 'momo_collection' && nowMs >= payment.expiresAt.getTime()
  if (payment.kind !== 'momo_collection' || isExpired)
    return waiting(payment, nowMs, nextAskMs(payment.asks), payment.asks + 1)
  return waiting(payment, nowMs, nextCollectionAskMs(nowMs - payment.createdAt.getTime()), 0)
}

type Wait = Extract<Step, { kind: 'wait' }>

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
