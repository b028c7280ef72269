// Sending again by hand. It adds no schedule: what the schedule still has to come comes, unless the retry succeeds.

import { present } from '#base/assert.ts'
import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import type { LogRecord } from './delivery.ts'
import { readRecord, spanOf } from './log.ts'
import { findPieceEnd, lockDelivery, requestRetries, requestRetry, type Failures } from './sql-retry.ts'

export type RetryOutcome =
  | { kind: 'queued'; record: LogRecord }
  /** And it was not said that it shall be sent all the same. */
  | { kind: 'delivered' }
  /** There is no address and no secret any more. */
  | { kind: 'subscription-deleted' }
  | { kind: 'not-found' }

export type FailuresQuestion = {
  from: Date
  before: Date
  subscriptionId?: Uuid | undefined
  event?: string | undefined
}

export type Retries = {
  /** `force`: also what was delivered. It counts as pending again; that it had been delivered stays in its attempts. */
  retry(tenant: Tenant, id: Uuid, options: { force: boolean }): Promise<RetryOutcome>
  /** Resolves with how many were queued: `retriesMax` at most, so at that many there may be more. */
  retryFailed(tenant: Tenant, question: FailuresQuestion): Promise<number>
}

export type RetriesOptions = {
  ctx: Context
  /** The loops that send look at once, instead of at their next turn. */
  wake: () => void
}

export const retriesMax = 10_000
const rowsPerStatement = 1_000

export function createRetries({ ctx, wake }: RetriesOptions): Retries {
  return {
    async retry(tenant, id, { force }) {
      const outcome = await ctx.db.transaction(async (tx): Promise<RetryOutcome> => {
        const found = await lockDelivery(tx, tenant, id)
        if (found === undefined) return { kind: 'not-found' }
        if (found.subscription === null || found.subscription === 'deleted') return { kind: 'subscription-deleted' }
        if (found.status === 'delivered' && !force) return { kind: 'delivered' }
        requestRetry(tx, tenant, id, new Date(ctx.clock.now()))
        // As it is before a process can have sent it.
        return { kind: 'queued', record: present(await readRecord(tx, tenant, id), `delivery ${id} was locked`) }
      })
      if (outcome.kind === 'queued') wake()
      return outcome
    },
    async retryFailed(tenant, { from, before, subscriptionId, event }) {
      const span = await spanOf(ctx.db, tenant, 'tenant', { from, before })
      let queued = 0
      for (const status of ['failed', 'pending'] as const) {
        const failures = { status, ...span, from, before, subscriptionId, event }
        queued += await retryAlong(ctx, tenant, failures, retriesMax - queued)
      }
      if (queued > 0) wake()
      return queued
    },
  }
}

/** Piece by piece, so that no statement grows with what is open, however little of it is asked for. */
async function retryAlong(ctx: Context, tenant: Tenant, failures: Failures, most: number): Promise<number> {
  let { low } = failures
  let queued = 0
  while (queued < most && low < failures.high) {
    const high = (await findPieceEnd(ctx.db, tenant, { ...failures, low })) ?? failures.high
    while (queued < most && low < high) {
      const limit = Math.min(rowsPerStatement, most - queued)
      const piece = { ...failures, low, high }
      const { count, last } = await requestRetries(ctx.db, tenant, piece, { now: new Date(ctx.clock.now()), limit })
      queued += count
      low = count === limit && last !== null ? last : high
    }
  }
  return queued
}
