// Contradictions: a rail reports another end than the payment has here, has another payment under the reference, has a
// payment that had left it, or no longer shows a payment that it had. Either side may be wrong, so the payment stays as it
// is, and an operator gets a review item at once. On staging contradictions are harmless, because testers complete payments
// too.

import type { Context, Environment } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import { type Fact, raiseReviewItem } from '#review/review-queue.ts'
import type { Payment } from './payment.ts'
import { lockPayments } from './queries.ts'
import { factAbout } from './review-items.ts'
import type { SettleCommand } from './settle.ts'

type ItemWriters = { ctx: Context; tx: Tx }

/** Of the results about codes, only an accepted code contradicts an end; the others move no money. */
const contradicting: readonly SettleCommand['result']['kind'][] = ['succeeded', 'failed', 'reversed', 'otp-accepted']

export function noteContradiction({ ctx, tx }: ItemWriters, payment: Payment, { source, result }: SettleCommand): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || !contradicting.includes(result.kind)) return
  raiseReviewItem(ctx, tx, contradictionAbout(payment, source.environment, endedOtherwise(payment, result.kind)))
}

/** The payment left that rail, because the rail certainly did not have it. So a failure there needs no review item. */
export function noteAnswerOfRailLeft(
  { ctx, tx }: ItemWriters,
  payment: Payment,
  { source, result }: SettleCommand,
): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || result.kind === 'failed') return
  raiseReviewItem(
    ctx,
    tx,
    contradictionAbout(payment, source.environment, answerOfRailLeft(payment, source.rail, result.kind)),
  )
}

type Contradicted = { payment: Payment; environment: Environment }

/**
 * Runs in a transaction of its own. record-step.ts calls this before it postpones the payment, so that after an error
 * the next look at the payment reports the contradiction again.
 */
export async function raiseContradiction(ctx: Context, about: Contradicted, fact: string): Promise<void> {
  reportContradiction(ctx, about, fact)
  const { payment, environment } = about
  if (environment === 'staging') return
  await ctx.db.transaction(async (tx) => {
    // The payment may have ended since the rail was asked.
    const [now] = await lockPayments(tx, [payment])
    if (now?.status === payment.status) raiseReviewItem(ctx, tx, contradictionAbout(payment, environment, fact))
  }, payment.lane)
}

/** `said`: the answer of the rail that contradicts the payment. */
export function reportContradiction(ctx: Context, { payment, environment }: Contradicted, said: string): void {
  if (environment === 'staging') {
    ctx.log.info({ payment: payment.id, said }, 'a tester had completed a payment before its rail gave its outcome')
    return
  }
  ctx.metrics.paymentsContradicted.inc()
}

function contradictionAbout(payment: Payment, environment: Environment, fact: string): Fact {
  return factAbout(payment, environment, 'payment-contradicted', fact)
}

/** `said`: the current answer of the rail. */
export function endedOtherwise({ status }: Payment, said: string): string {
  return `its rail says ${said}, after it had ended ${status}`
}

/**
 * The text of a review item about a payment that stays unfinished. When the payment ends, the review item is found by
 * this text and closed.
 */
export const existsAndIsAbsent = `its rail said that it has this reference, or showed the payment after a refusal or an absence, and now has not shown it for ${absenceGraceMs / minuteMs} minutes or longer; nothing is sent, ask the provider`

export function hasAnother(detail: string): string {
  return `its rail has another payment under its reference (${detail}); ask the provider`
}

/** `rail`: a rail that the payment has left. */
export function answerOfRailLeft(payment: Payment, rail: string | null, said: string): string {
  return `the rail ${rail}, which it had left for ${payment.rail}, says ${said}: it may be paid twice`
}
