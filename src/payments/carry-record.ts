// Writes what a step of a payment's way led to: an end, another look later, or rest. All of it goes through the lane.

import type { Context } from '#base/context.ts'
import type { Operation } from '#base/lane.ts'
import { bookOf } from '#ledger/post.ts'
import type { Leased, Step } from './carry-step.ts'
import type { Means } from './means.ts'
import type { Result } from './payment.ts'
import { postponePayments, type Postponement } from './sql.ts'

export async function recordStep(means: Means, leased: Leased, step: Step): Promise<void> {
  const { ctx } = means
  switch (step.kind) {
    case 'settle':
      return settle(means, leased, step.results)
    case 'wait':
      return postpone(means, leased, {
        dueAt: new Date(ctx.clock.now() + step.ms),
        asks: step.asks,
        unsent: step.unsent,
      })
    case 'rest':
      if (step.contradiction !== undefined) reportContradiction(ctx, leased, step.contradiction)
      return postpone(means, leased, resting)
  }
}

async function settle(means: Means, leased: Leased, results: Result[]): Promise<void> {
  const { ctx, laneOf, settling } = means
  const { lane, tenantId, reference } = leased.payment
  const commands = results.map((result) => ({ tenantId, reference, result }))
  const outcomes = await Promise.all(commands.map((command) => laneOf(lane).submitOwn(settling, command)))
  if (outcomes.every((outcome) => outcome.kind !== 'impossible')) return
  reportContradiction(ctx, leased, results.map((result) => result.kind).join(', '))
  await postpone(means, leased, resting)
}

/** `unsent`: the rail certainly does not have it. */
type Later = { dueAt: Date | null; asks: number; unsent: boolean }

const resting: Later = { dueAt: null, asks: 0, unsent: false }

async function postpone(
  { laneOf }: Means,
  { payment, leaseEnd }: Leased,
  { dueAt, asks, unsent }: Later,
): Promise<void> {
  const { lane, tenantId, reference } = payment
  const submittedAt = unsent ? null : payment.submittedAt
  await laneOf(lane).submitOwn(postponing, { tenantId, reference, leaseEnd, dueAt, asks, submittedAt })
}

const postponing: Operation<Postponement, void> = {
  name: 'payments.postpone',
  async run(tx, rows) {
    // Tenants first, like all that shares a transaction with this: a payment that is held by who still waits for its tenant
    // would deadlock with whoever settles it.
    await bookOf(tx).lock(rows.map(({ tenantId }) => tenantId)).sent
    postponePayments(tx, rows)
    return rows.map(() => undefined)
  },
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
  ctx.log.error({ payment: payment.id, said }, 'a rail contradicts how a payment ended; ask the provider')
}
