// Writes what a step of a payment's way led to: an end, another look later, or rest. All of it goes through the lane.

import type { Context } from '#base/context.ts'
import type { Lane, Operation } from '#base/lane.ts'
import type { Tx } from '#base/db.ts'
import type { Held, Step } from './advance.ts'
import type { Result } from './payment.ts'
import type { Settling } from './settle.ts'
import { postponePayments, type Postponement } from './sql.ts'

export type Recorder = { record(held: Held, step: Step): Promise<void> }

export function createRecorder(ctx: Context, laneOf: (lane: number) => Lane, settling: Settling): Recorder {
  async function record(held: Held, step: Step): Promise<void> {
    switch (step.kind) {
      case 'settle':
        return settle(held, step.results)
      case 'wait':
        return postpone(held, { dueAt: new Date(ctx.clock.now() + step.ms), asks: step.asks, unsent: step.unsent })
      case 'rest':
        if (step.contradiction !== undefined) reportContradiction(ctx, held, step.contradiction)
        return postpone(held, resting)
    }
  }

  async function settle(held: Held, results: Result[]): Promise<void> {
    const { lane, tenantId, reference } = held.payment
    const commands = results.map((result) => ({ tenantId, reference, result }))
    const outcomes = await Promise.all(commands.map((command) => laneOf(lane).submit(settling, command)))
    if (outcomes.every((outcome) => outcome.kind !== 'impossible')) return
    reportContradiction(ctx, held, results.map((result) => result.kind).join(', '))
    await postpone(held, resting)
  }

  async function postpone({ payment, leaseEnd }: Held, { dueAt, asks, unsent }: typeof resting): Promise<void> {
    const { lane, tenantId, reference } = payment
    const submittedAt = unsent ? null : payment.submittedAt
    await laneOf(lane).submit(postponing, { tenantId, reference, heldUntil: leaseEnd, dueAt, asks, submittedAt })
  }

  return { record }
}

export function reportContradiction(
  ctx: Context,
  { payment, environment }: Pick<Held, 'payment' | 'environment'>,
  said: string,
): void {
  if (environment === 'staging') {
    ctx.log.info({ payment: payment.id, said }, 'a payment had been completed by hand before its rail had a word')
    return
  }
  ctx.metrics.paymentsContradicted.inc()
  ctx.log.error({ payment: payment.id, said }, 'a rail contradicts what a payment ended as; ask the provider')
}

const resting: { dueAt: Date | null; asks: number; unsent: boolean } = { dueAt: null, asks: 0, unsent: false }

const postponing: Operation<Postponement, void> = {
  name: 'payments.postpone',
  patient: true,
  run(tx: Tx, rows: Postponement[]) {
    postponePayments(tx, rows)
    return Promise.resolve(rows.map(() => undefined))
  },
}
