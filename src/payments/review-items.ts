// Review items about payments: the text of each, and the contradictions of a rail that settling reports.

import type { Context, Environment } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { minuteMs } from '#platform/durations.ts'
import { absenceGraceMs } from '#rails/outcome.ts'
import { raiseReviewItem, type ExceptionKind, type Fact } from '#review/review-queue.ts'
import type { Payment } from './payment.ts'
import type { SettleCommand } from './settle.ts'
import { publicIdOf } from './wire.ts'

/** A rail may be missing for a short time, for example during the rollout of a new version. */
export const withoutRailMsMax = 5 * minuteMs

/** Younger payments have no review items, so the end of one need not look for any. */
export const unconcernedMs = minuteMs

export function withoutOutcome(payment: Payment, environment: Environment): Fact {
  return factAbout(payment, environment, 'payment-stuck', 'it has had no outcome for a day')
}

export function railIsMissing(payment: Payment, environment: Environment): Fact {
  const rail = payment.rail ?? '(none is noted)'
  const fact = `its rail ${rail}, or its bank or operator, is not configured; it waits until it is`
  return factAbout(payment, environment, 'payment-without-rail', fact)
}

export function railsAreExhausted(payment: Payment, environment: Environment): Fact {
  const { attempts, rail } = payment
  const fact = `${attempts} rails had it in turn, no other one can take it, and it waits for ${rail}`
  return factAbout(payment, environment, 'payment-without-rail', fact)
}

export function contradictionAbout(payment: Payment, environment: Environment, fact: string): Fact {
  return factAbout(payment, environment, 'payment-contradicted', fact)
}

/** `said`: the current answer of the rail. */
export function endedOtherwise({ status }: Payment, said: string): string {
  return `its rail says ${said}, after it had ended ${status}`
}

/**
 * The payment stays unfinished. If its rail shows it later, the payment ends, and its review item is found by this text
 * and closed.
 */
export const existsAndIsAbsent = `its rail refused it because it has this reference already, and has not shown it since for ${absenceGraceMs / minuteMs} minutes or longer; nothing is sent, ask the provider`

export function hasAnother(detail: string): string {
  return `its rail has another payment under its reference (${detail}); ask the provider`
}

/** `rail`: a rail that the payment has left. */
export function wordOfRailLeft(payment: Payment, rail: string | null, said: string): string {
  return `the rail ${rail}, which it had left for ${payment.rail}, says ${said}: it may be paid twice`
}

export function moneyWithoutRoom(payment: Payment, environment: Environment): Fact {
  const came =
    payment.kind === 'momo_collection' ? 'its payer paid after it had expired' : 'its rail returned the money'
  const fact = `${came}, and the books of the business have no room for it`
  return factAbout(payment, environment, 'return-without-room', fact)
}

type ItemWriters = { ctx: Context; tx: Tx }

/** Of the results about codes, only an accepted code contradicts an end; the others move no money. */
const contradicting: readonly SettleCommand['result']['kind'][] = ['succeeded', 'failed', 'reversed', 'otp-accepted']

/**
 * Opens a review item at once, for answers of a rail only. On staging contradictions are harmless, because testers
 * complete payments too.
 */
export function noteContradiction({ ctx, tx }: ItemWriters, payment: Payment, { source, result }: SettleCommand): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || !contradicting.includes(result.kind)) return
  raiseReviewItem(ctx, tx, contradictionAbout(payment, source.environment, endedOtherwise(payment, result.kind)))
}

/**
 * For an answer of a rail that had proved that it does not have the payment. If the rail reports a failure, that is no
 * news.
 */
export function noteWordOfRailLeft(
  { ctx, tx }: ItemWriters,
  payment: Payment,
  { source, result }: SettleCommand,
): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || result.kind === 'failed') return
  raiseReviewItem(
    ctx,
    tx,
    contradictionAbout(payment, source.environment, wordOfRailLeft(payment, source.rail, result.kind)),
  )
}

function factAbout(payment: Payment, environment: Environment, kind: ExceptionKind, fact: string): Fact {
  const { lane, tenantId, reference, currency, amount } = payment
  const tenant = { lane, id: tenantId }
  return { kind, environment, subject: publicIdOf(payment), fact, tenant, reference, currency, amount }
}
