// The SQL that tells how many deliveries are due and nobody has taken up.

import { statement, type InLane } from '#base/db.ts'
import { firstUuid } from '#base/ids.ts'

// Out of the index webhook_delivery_due alone (lane, tenant_id, subscription_id, due_at), beside one look-up for each
// subscription: one step from each to the next, over all that it holds, at most $5 steps; the step brings the oldest of each.
// Then at most $3 entries are counted. What waits for a receiver that fails, or is not sent to, waits for that receiver
// and not for a worker. Beside 1 000 000 due rows of one subscription: 16 ms.
const dueDeliveries = statement(
  'webhooks.due',
  `with recursive step (tenant_id, subscription_id, due_at, number) as (
     (select tenant_id, subscription_id, due_at, 1 from webhook_delivery
       where lane = $1 and due_at is not null and (tenant_id, subscription_id) > ($4, $4)
       order by lane, tenant_id, subscription_id, due_at limit 1)
     union all
     select next.tenant_id, next.subscription_id, next.due_at, step.number + 1
       from step cross join lateral (
              select tenant_id, subscription_id, due_at from webhook_delivery
               where lane = $1 and due_at is not null
                 and (tenant_id, subscription_id) > (step.tenant_id, step.subscription_id)
               order by lane, tenant_id, subscription_id, due_at limit 1) as next
      where step.number < $5),
   waiting as materialized (
     select step.* from step cross join lateral (
       select 1 from webhook_subscription
        where lane = $1 and tenant_id = step.tenant_id and id = step.subscription_id
          and status = 'active' and failing_since is null limit 1) as healthy
      where step.due_at <= $2)
   select (select min(due_at) from waiting) as oldest,
          (select count(*) from (
             select 1 from waiting cross join lateral (
               select 1 from webhook_delivery
                where lane = $1 and tenant_id = waiting.tenant_id and subscription_id = waiting.subscription_id
                  and due_at <= $2
                order by lane, tenant_id, subscription_id, due_at limit $3) as each
              limit $3) as counted)::int as count`,
)

export type Due = { count: number; oldest: Date | null }

/** No more than `limit` are counted, of the first `subscriptionsMax` subscriptions that have something to be sent. */
export async function findDue(
  db: InLane,
  now: Date,
  { limit, subscriptionsMax }: { limit: number; subscriptionsMax: number },
): Promise<Due> {
  const [row] = await db.query<Due>(dueDeliveries, [db.lane, now, limit, firstUuid, subscriptionsMax])
  return row ?? { count: 0, oldest: null }
}
