// Writes what a step of a payment's way led to: an end, another look later, or rest. All of it goes through the lane.

import type { Context } from '#base/context.ts'
import { raise } from '#exceptions/raise.ts'
import type { Leased, Step } from './carry-step.ts'
import { contradictionAbout } from './concern.ts'
import type { Means } from './means.ts'
import type { RailChange, RailWord, Result, SubmissionAnswer } from './payment.ts'
import type { PutDown } from './put-down.ts'
import type { SettleOutcome } from './settle.ts'
import { lockPayments } from './sql.ts'
import { isWorthKeeping, type Try } from './tries.ts'

export async function recordStep(means: Means, leased: Leased, step: Step): Promise<void> {
  const { ctx } = means
  switch (step.kind) {
    case 'settle':
      return settle(means, leased, step.results)
    case 'wait':
      if (step.contradiction !== undefined) await tellContradiction(ctx, leased, step.contradiction)
      return postpone(means, leased, {
        dueAt: new Date(ctx.clock.now() + step.ms),
        asks: step.asks,
        unsent: step.unsent,
        railWord: step.railWord,
        concern: step.concern,
        parkedAt: step.parkedAt,
        submissionAnswer: step.submissionAnswer,
      })
    case 'change-rail':
      return changeRail(means, leased, step.change)
    case 'rest':
      if (step.contradiction !== undefined) await tellContradiction(ctx, leased, step.contradiction)
      return postpone(means, leased, resting)
  }
}

async function settle(means: Means, leased: Leased, results: Result[]): Promise<void> {
  const outcomes = await settleByRail(means, leased, results, keptOf(leased))
  if (outcomes.some(({ kind }) => kind === 'impossible')) await postpone(means, leased, resting)
}

/** It is due at once, for whoever claims it next. */
export async function changeRail(
  { ctx, laneOf, settling }: Means,
  leased: Pick<Leased, 'payment' | 'tries'>,
  change: RailChange,
): Promise<void> {
  const { lane, tenantId, reference, id } = leased.payment
  const command = { tenantId, reference, result: change, tries: keptOf(leased) }
  const { kind } = await laneOf(lane).submitOwn(settling, command)
  if (kind !== 'settled') return
  const { from, to, why } = change
  ctx.metrics.paymentsMoved.inc({ why })
  ctx.log.info({ payment: id, from, to, why }, 'a payment that its rail had not got went on to another rail')
}

/** What the payment's rail says of it, whoever asked: it ends so, or the contradiction is told. */
export async function settleByRail(
  { ctx, laneOf, settling }: Means,
  leased: Pick<Leased, 'payment' | 'environment'>,
  results: Result[],
  tries?: readonly Try[],
): Promise<SettleOutcome[]> {
  const { lane, tenantId, reference, rail } = leased.payment
  const source = { kind: 'rail' as const, environment: leased.environment, rail }
  const about = { tenantId, reference, source }
  const commands = results.map((result, index) => ({ ...about, result, tries: index === 0 ? tries : undefined }))
  const outcomes = await Promise.all(commands.map((command) => laneOf(lane).submitOwn(settling, command)))
  if (outcomes.some(({ kind }) => kind === 'impossible'))
    reportContradiction(ctx, leased, results.map(({ kind }) => kind).join(', '))
  return outcomes
}

/** `unsent`: the rail certainly does not have it. */
type Later = {
  dueAt: Date | null
  asks: number
  unsent: boolean
  railWord?: RailWord | undefined
  parkedAt?: Date | undefined
  submissionAnswer?: SubmissionAnswer | null | undefined
} & Pick<PutDown, 'concern'>

const resting: Later = { dueAt: null, asks: 0, unsent: false }

async function postpone({ laneOf, puttingDown }: Means, leased: Leased, later: Later): Promise<void> {
  const { payment, environment, leaseEnd } = leased
  const { dueAt, asks, unsent, railWord = null, parkedAt = null, concern } = later
  const { submissionAnswer = payment.submissionAnswer } = later
  const { lane, tenantId, reference } = payment
  const submittedAt = unsent ? null : payment.submittedAt
  const row = { tenantId, reference, leaseEnd, dueAt, asks, submittedAt, railWord, parkedAt, submissionAnswer }
  const tries = keptOf(leased)
  const tried = tries === undefined ? undefined : { id: payment.id, tries }
  await laneOf(lane).submitOwn(puttingDown, { ...row, environment, concern, tried })
}

function keptOf({ tries = [] }: Pick<Leased, 'tries'>): readonly Try[] | undefined {
  return isWorthKeeping(tries) ? tries : undefined
}

/** In a transaction of its own, before the payment is put down: when that fails, the next look tells it again. */
export async function tellContradiction(
  ctx: Context,
  about: Pick<Leased, 'payment' | 'environment'>,
  fact: string,
): Promise<void> {
  reportContradiction(ctx, about, fact)
  const { payment, environment } = about
  if (environment === 'staging') return
  await ctx.db.transaction(async (tx) => {
    // The payment may have ended since its rail was asked.
    const [now] = await lockPayments(tx, [payment])
    if (now?.status === payment.status) raise(ctx, tx, contradictionAbout(payment, environment, fact))
  }, payment.lane)
}

/** `said`: what the rail says, and what cannot be. On staging it is harmless: testers complete payments, too. */
export function reportContradiction(
  ctx: Context,
  { payment, environment }: Pick<Leased, 'payment' | 'environment'>,
  said: string,
): void {
  if (environment === 'staging') {
    ctx.log.info({ payment: payment.id, said }, 'a tester had completed a payment before its rail gave its outcome')
    return
  }
  ctx.metrics.paymentsContradicted.inc()
}
