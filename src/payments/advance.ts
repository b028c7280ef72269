// One step of a payment's way: hand it to its rail, or ask the rail what became of it, and say what follows. No
// transaction is open here, and nothing is written: what follows is carried out by whoever holds the payment.

import type { Context, Environment } from '#base/context.ts'
import { findBank } from '#directory/banks.ts'
import type { BankPayout, PayoutOrder, PayoutState } from '#rails/rail.ts'
import { railReferenceOf } from '#rails/reference.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Payment, Result } from './payment.ts'
import { nextAskMs, stuckAfterMs } from './schedule.ts'

/** A rail that says "ask now" again and again is not asked more often than this. */
const askAgainMsMin = 10

export type Step =
  | { kind: 'settle'; results: Result[] }
  /** Look again later. `unsent`: it is certain that the rail does not have it, so it is sent then instead of asked for. */
  | { kind: 'wait'; ms: number; asks: number; unsent: boolean }
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
  const next = await ask(ctx, rails, held)
  const ageMs = ctx.clock.now() - payment.createdAt.getTime()
  if (next.kind === 'wait' && payment.status === 'queued' && ageMs > stuckAfterMs) {
    ctx.metrics.paymentsStuck.inc()
    ctx.log.error({ payment: payment.id, asks: next.asks }, 'a payment has had no outcome for a day; ask the provider')
  }
  return next
}

async function ask(ctx: Context, rails: RailRegistry, { payment, environment, sentBefore }: Held): Promise<Step> {
  const answer = rails.payout(environment)
  const order = orderOf(payment)
  if (answer.kind === 'missing' || order === undefined) {
    ctx.log.error({ payment: payment.id, environment }, 'an accepted payment has no rail or bank to go to')
    return { kind: 'wait', ms: nextAskMs(payment.asks), asks: payment.asks + 1, unsent: !sentBefore }
  }
  if (sentBefore) return afterStatus(payment, await guarded(() => answer.port.status(order)))
  return follow(payment, await guarded(() => answer.port.submit(order)), false)
}

function afterStatus(payment: Payment, state: Awaited<ReturnType<BankPayout['status']>>): Step {
  if (state.kind !== 'not-found') return follow(payment, state, true)
  if (payment.status !== 'queued') return { kind: 'rest', contradiction: state.kind }
  // The rail proves that it never had it: only now may it be sent again.
  return { kind: 'wait', ms: 0, asks: payment.asks, unsent: true }
}

function follow(payment: Payment, state: PayoutState, sentBefore: boolean): Step {
  switch (state.kind) {
    case 'pending':
      return state.askAgainAfterMs === undefined
        ? later(payment)
        : { kind: 'wait', ms: Math.max(state.askAgainAfterMs, askAgainMsMin), asks: payment.asks, unsent: false }
    case 'unknown':
      return { ...later(payment), unsent: state.sent === false && !sentBefore }
    case 'failed':
      if (payment.status !== 'queued') return { kind: 'rest', contradiction: state.kind }
      return { kind: 'settle', results: [{ kind: 'failed', reason: state.reason }] }
    case 'succeeded': {
      const again = state.askAgainAfterMs
      if (payment.status !== 'queued')
        return again === undefined ? { kind: 'rest' } : { kind: 'wait', ms: again, asks: 0, unsent: false }
      return {
        kind: 'settle',
        results: [
          { kind: 'succeeded', sessionId: state.sessionId, ...(again === undefined ? {} : { lookAgainMs: again }) },
        ],
      }
    }
    case 'reversed': {
      const reversed: Result = { kind: 'reversed' }
      // Nobody may have asked between its success and its return: both happened, in this order.
      return {
        kind: 'settle',
        results:
          payment.status === 'queued' ? [{ kind: 'succeeded', sessionId: state.sessionId }, reversed] : [reversed],
      }
    }
  }
}

function later(payment: Payment): Extract<Step, { kind: 'wait' }> {
  return { kind: 'wait', ms: nextAskMs(payment.asks), asks: payment.asks + 1, unsent: false }
}

/** Rails promise not to throw; if one does, nobody knows what happened, and that is an answer too. */
async function guarded<T>(call: () => Promise<T>): Promise<T | { kind: 'unknown'; detail: string }> {
  try {
    return await call()
  } catch (error) {
    return { kind: 'unknown', detail: error instanceof Error ? error.message : String(error) }
  }
}

function orderOf(payment: Payment): PayoutOrder | undefined {
  const bank = findBank(payment.bankSlug)
  if (bank === undefined) return undefined
  return {
    railReference: railReferenceOf(payment.id),
    amount: payment.amount,
    currency: payment.currency,
    narration: payment.narration,
    bank,
    accountNumber: payment.accountNumber,
    accountName: payment.accountName,
    submittedAtMs: (payment.submittedAt ?? payment.createdAt).getTime(),
  }
}
