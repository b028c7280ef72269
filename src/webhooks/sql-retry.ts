// The SQL of sending again by hand. A row that is due is claimed by any worker (the row is the job); one that a process
// is sending right now stays with it: it is due when its lease ends, and the record of that attempt sees that another
// one was asked for.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Range } from '#base/ordinal.ts'
import type { DeliveryStatus, SubscriptionStatus } from '#events/states.ts'

const lockOne = statement(
  'webhooks.lock_delivery',
  `select d.status, (select s.status from webhook_subscription s
                      where s.lane = $1 and s.tenant_id = $2 and s.id = d.subscription_id) as subscription
     from webhook_delivery d where d.lane = $1 and d.tenant_id = $2 and d.id = $3 for update of d`,
)

export type Locked = { status: DeliveryStatus; subscription: SubscriptionStatus | null }

export async function lockDelivery(tx: Tx, tenant: Tenant, id: Uuid): Promise<Locked | undefined> {
  return (await tx.query<Locked>(lockOne, [tenant.lane, tenant.id, id]))[0]
}

// A process holds it when it is due later, and not because the schedule says so.
const requested = `status = 'pending', retry_requested = true, delivered_at = null,
  due_at = case when d.due_at > $4 and d.due_at is distinct from d.next_attempt_at then d.due_at else $4 end,
  updated_at = greatest(d.updated_at, $4)`

const requestOne = statement(
  'webhooks.request_retry',
  `update webhook_delivery d set ${requested} where d.lane = $1 and d.tenant_id = $2 and d.id = $3`,
)

/** The row is locked by this transaction. */
export function requestRetry(tx: Tx, tenant: Tenant, id: Uuid, now: Date): void {
  tx.send(requestOne, [tenant.lane, tenant.id, id, now])
}

export type Failures = Range & {
  status: 'failed' | 'pending'
  from: Date
  before: Date
  subscriptionId?: Uuid | undefined
  event?: string | undefined
}

/** Who asks names a subscription that has few of a million open rows: a statement looks at so many of them, and no more. */
export const openRowsLooked = 5_000

// The end of the next piece of what is open, along its index.
const pieceEnd = statement(
  'webhooks.open_piece',
  `select d.ordinal from webhook_delivery d
    where d.lane = $1 and d.tenant_id = $2 and d.status in ('pending', 'failed') and d.status = $3
      and (d.status, d.ordinal) > ($3, $4) and (d.status, d.ordinal) <= ($3, $5)
    order by d.status, d.ordinal offset ${openRowsLooked - 1} limit 1`,
)

/** Up to where the rows above `low` are `openRowsLooked`; undefined where they are fewer. */
export async function findPieceEnd(
  db: Queryable,
  { lane, id }: Tenant,
  { status, low, high }: Range & { status: Failures['status'] },
): Promise<bigint | undefined> {
  const [row] = await db.query<{ ordinal: bigint }>(pieceEnd, [lane, id, status, low, high])
  return row?.ordinal
}

// Along the index of what is open, oldest first. Pending ones only where no process is going to send them: their
// subscription was disabled when they were written, or before they were sent. What another transaction has locked at this
// moment is passed by.
const requestMany = statement(
  'webhooks.request_retries',
  `with chosen as materialized (
     select d.ctid as row_place, d.ordinal from webhook_delivery d
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
     update webhook_delivery d set ${requested} from chosen
      where d.lane = $1 and d.tenant_id = $2 and d.ctid = chosen.row_place returning d.ordinal)
   select count(*) as count, max(ordinal) as last from queued`,
)

export type Requested = { count: number; last: bigint | null }

/** Resolves with how many rows it queued, and the number of the last one. */
export async function requestRetries(
  db: Queryable,
  tenant: Tenant,
  { status, low, high, from, before, subscriptionId, event }: Failures,
  { now, limit }: { now: Date; limit: number },
): Promise<Requested> {
  const wanted = [subscriptionId ?? null, event ?? null]
  const values = [tenant.lane, tenant.id, status, now, low, high, from, before, ...wanted, limit]
  const [row] = await db.query<{ count: bigint; last: bigint | null }>(requestMany, values)
  return { count: Number(row?.count ?? 0n), last: row?.last ?? null }
}
