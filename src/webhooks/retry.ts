// A manual retry makes a delivery due, and any worker claims it. If a process is sending the delivery now, its lease
// stays, and the retry follows when that attempt has failed (delivery/after-attempt.ts). The scheduled attempts still
// follow, unless the retry succeeds.

import type { DeliveryStatus, SubscriptionStatus } from '#events/catalogue.ts'
import { present } from '#platform/assert.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Range } from '#platform/db/numbered-list.ts'
import type { Uuid } from '#platform/ids.ts'
import { type LogRecord, readRecord, spanOf } from './log.ts'

const lockOne = statement(
  'webhooks.lock_delivery',
  `select d.status, (select s.status from webhook_subscription s
                      where s.lane = $1 and s.tenant_id = $2 and s.id = d.subscription_id) as subscription
     from webhook_delivery d where d.lane = $1 and d.tenant_id = $2 and d.id = $3 for update of d`,
)

type LockedDelivery = { status: DeliveryStatus; subscription: SubscriptionStatus | null }

async function lockDelivery(tx: Tx, tenant: Tenant, id: Uuid): Promise<LockedDelivery | undefined> {
  return (await tx.query<LockedDelivery>(lockOne, [tenant.lane, tenant.id, id]))[0]
}

// A row is leased if it is due later than now and not at its next scheduled attempt. Then it stays due at the end of
// the lease.
const requested = `status = 'pending', retry_requested = true, delivered_at = null,
  due_at = case when d.due_at > $4 and d.due_at is distinct from d.next_attempt_at then d.due_at else $4 end,
  updated_at = greatest(d.updated_at, $4)`

const requestOne = statement(
  'webhooks.request_retry',
  `update webhook_delivery d set ${requested} where d.lane = $1 and d.tenant_id = $2 and d.id = $3`,
)

/** The caller has locked the row. */
function requestRetry(tx: Tx, tenant: Tenant, id: Uuid, now: Date): void {
  tx.send(requestOne, [tenant.lane, tenant.id, id, now])
}

type Failures = Range & {
  status: 'failed' | 'pending'
  from: Date
  before: Date
  subscriptionId?: Uuid | undefined
  event?: string | undefined
}

/** A statement reads at most this many open rows, because perhaps few of a million belong to the subscription. */
export const openRowsLooked = 5_000

const chunkEnd = statement(
  'webhooks.open_piece',
  `select d.ordinal from webhook_delivery d
    where d.lane = $1 and d.tenant_id = $2 and d.status in ('pending', 'failed') and d.status = $3
      and (d.status, d.ordinal) > ($3, $4) and (d.status, d.ordinal) <= ($3, $5)
    order by d.status, d.ordinal offset ${openRowsLooked - 1} limit 1`,
)

/** Returns the number of the row that completes a chunk of `openRowsLooked` rows above `low`; undefined if fewer are left. */
export async function findChunkEnd(
  db: Queryable,
  { lane, id }: Tenant,
  { status, low, high }: Range & { status: Failures['status'] },
): Promise<bigint | undefined> {
  const [row] = await db.query<{ ordinal: bigint }>(chunkEnd, [lane, id, status, low, high])
  return row?.ordinal
}

// Retries failed deliveries, and pending ones that no process will send because their subscription is or was disabled. The
// oldest come first, by the index of open rows. Locked rows are skipped. The rows are updated by their ids and not by ctid: if an
// attempt was recorded after this statement began, the new version of the row has another ctid, which the update would not find.
const requestMany = statement(
  'webhooks.request_retries',
  `with chosen as materialized (
     select d.id from webhook_delivery d
      where d.lane = $1 and d.tenant_id = $2 and d.status in ('pending', 'failed') and d.status = $3
        and (d.status, d.ordinal) > ($3, $5) and (d.status, d.ordinal) <= ($3, $6)
        and d.created_at >= $7 and d.created_at < $8
        and ($9::uuid is null or d.subscription_id = $9) and ($10::text is null or d.event = $10)
        and exists (
          select from webhook_subscription s
           where s.lane = $1 and s.tenant_id = $2 and s.id = d.subscription_id and s.status <> 'deleted'
             and ($3 <> 'pending' or d.due_at is null or s.status = 'disabled' and not d.retry_requested))
      order by d.status, d.ordinal limit $11 for update of d skip locked),
   queued as (
     update webhook_delivery d set ${requested}
      where d.lane = $1 and d.tenant_id = $2 and d.id = any(array(select id from chosen)) returning d.ordinal)
   select count(*) as count, max(ordinal) as last from queued`,
)

type RequestedRetries = { count: number; last: bigint | null }

export async function requestRetries(
  db: Queryable,
  tenant: Tenant,
  { status, low, high, from, before, subscriptionId, event }: Failures,
  { now, limit }: { now: Date; limit: number },
): Promise<RequestedRetries> {
  const wanted = [subscriptionId ?? null, event ?? null]
  const values = [tenant.lane, tenant.id, status, now, low, high, from, before, ...wanted, limit]
  const [row] = await db.query<{ count: bigint; last: bigint | null }>(requestMany, values)
  return { count: Number(row?.count ?? 0n), last: row?.last ?? null }
}

type RetryOutcome =
  | { kind: 'queued'; record: LogRecord }
  /** It was delivered, and the request does not have `force`. */
  | { kind: 'delivered' }
  /** Nothing can be signed any more, because the secret was deleted. */
  | { kind: 'subscription-deleted' }
  | { kind: 'not-found' }

type FailuresQuestion = {
  from: Date
  before: Date
  subscriptionId?: Uuid | undefined
  event?: string | undefined
}

export type Retries = {
  /** `force` also retries a delivered delivery. Its attempts still show the earlier success. */
  retry(tenant: Tenant, id: Uuid, options: { force: boolean }): Promise<RetryOutcome>
  /** Resolves with the number of queued retries, at most `retriesMax`. At that number there may be more. */
  retryFailed(tenant: Tenant, question: FailuresQuestion): Promise<number>
}

type RetriesOptions = {
  ctx: Context
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
        // Read before the commit: right after it a process may send the delivery, and the record would show that.
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

/** Works in chunks, so that no statement grows with the number of open rows. */
async function retryAlong(ctx: Context, tenant: Tenant, failures: Failures, most: number): Promise<number> {
  let { low } = failures
  let queued = 0
  while (queued < most && low < failures.high) {
    const high = (await findChunkEnd(ctx.db, tenant, { ...failures, low })) ?? failures.high
    while (queued < most && low < high) {
      const limit = Math.min(rowsPerStatement, most - queued)
      const chunk = { ...failures, low, high }
      const { count, last } = await requestRetries(ctx.db, tenant, chunk, { now: new Date(ctx.clock.now()), limit })
      queued += count
      low = count === limit && last !== null ? last : high
    }
  }
  return queued
}
