// Writes what a step of a payment returned.

import { bookOf } from '#ledger/post.ts'
import type { RailChange, LastAnswer, Result, SubmissionAnswer } from '#payments/payment.ts'
import { postponePayments, type Postponement } from '#payments/queries.ts'
import { raiseContradiction, reportContradiction } from '#payments/review-items.ts'
import type { SettleOutcome } from '#payments/settle.ts'
import type { Operation } from '#platform/db/lane.ts'
import type { Uuid } from '#platform/ids.ts'
import type { LeasedPayment, Means, Step } from './step.ts'
import { isWorthKeeping, keepTries, type Try } from './rail-call.ts'

export async function recordStep(means: Means, leased: LeasedPayment, step: Step): Promise<void> {
  const { ctx } = means
  switch (step.kind) {
    case 'settle':
      return settle(means, leased, step.results)
    case 'wait':
      if (step.contradiction !== undefined) await raiseContradiction(ctx, leased, step.contradiction)
      return postpone(means, leased, {
        dueAt: new Date(ctx.clock.now() + step.ms),
        asks: step.asks,
        unsent: step.unsent,
        railAnswer: step.railAnswer,
        parkedAt: step.parkedAt,
        submissionAnswer: step.submissionAnswer,
      })
    case 'change-rail':
      return changeRail(means, leased, step.change)
    case 'rest':
      if (step.contradiction !== undefined) await raiseContradiction(ctx, leased, step.contradiction)
      return postpone(means, leased, resting)
  }
}

async function settle(means: Means, leased: LeasedPayment, results: Result[]): Promise<void> {
  const outcomes = await settleByRail(means, leased, results, keptOf(leased))
  if (outcomes.some(({ kind }) => kind === 'impossible')) await postpone(means, leased, resting)
}

/** Makes the payment due at once, so that the next claim takes it. */
export async function changeRail(
  { ctx, laneOf, settling }: Means,
  leased: Pick<LeasedPayment, 'payment' | 'tries'>,
  change: RailChange,
): Promise<void> {
  const { lane, tenantId, reference, id } = leased.payment
  const command = { tenantId, reference, result: change, tries: keptOf(leased) }
  const { kind } = await laneOf(lane).submitOwn(settling, command)
  if (kind !== 'settled') return
  const { from, to, why } = change
  ctx.metrics.paymentsMoved.inc({ why })
  ctx.log.info({ payment: id, from, to, why }, 'moved a payment to another rail, because its own rail does not have it')
}

export async function settleByRail(
  { ctx, laneOf, settling }: Means,
  leased: Pick<LeasedPayment, 'payment' | 'environment'>,
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

/** `unsent`: the rail certainly does not have the payment. */
type Later = {
  dueAt: Date | null
  asks: number
  unsent: boolean
  railAnswer?: LastAnswer | undefined
  parkedAt?: Date | undefined
  submissionAnswer?: SubmissionAnswer | null | undefined
}

const resting: Later = { dueAt: null, asks: 0, unsent: false }

async function postpone({ laneOf, postponing }: Means, leased: LeasedPayment, later: Later): Promise<void> {
  const { payment, leaseEnd } = leased
  const { dueAt, asks, unsent, railAnswer = null } = later
  const { parkedAt = unsent ? payment.parkedAt : null, submissionAnswer = payment.submissionAnswer } = later
  const { lane, tenantId, reference } = payment
  const submittedAt = unsent ? null : payment.submittedAt
  const row = { tenantId, reference, leaseEnd, dueAt, asks, submittedAt, railAnswer, parkedAt, submissionAnswer }
  const tries = keptOf(leased)
  const tried = tries === undefined ? undefined : { id: payment.id, tries }
  await laneOf(lane).submitOwn(postponing, { ...row, tried })
}

function keptOf({ tries = [] }: Pick<LeasedPayment, 'tries'>): readonly Try[] | undefined {
  return isWorthKeeping(tries) ? tries : undefined
}

// Postpones payments, in batches: stores when each is looked at next, and the rail's last answer.

export type PostponeCommand = Postponement & {
  tried?: { id: Uuid; tries: readonly Try[] } | undefined
}

export type Postponing = Operation<PostponeCommand, void>

export function postponeOperation(): Postponing {
  return {
    name: 'payments.postpone',
    async run(tx, rows) {
      // Locks the tenants first, like every operation that shares a transaction with this one. A transaction that locks
      // payments and then waits for their tenant would deadlock with a transaction that settles those payments.
      await bookOf(tx).lock(rows.map(({ tenantId }) => tenantId)).sent
      postponePayments(tx, rows)
      for (const { tenantId, tried } of rows)
        if (tried !== undefined) keepTries(tx, { tenantId, id: tried.id }, tried.tries)
      return rows.map(() => undefined)
    },
  }
}
