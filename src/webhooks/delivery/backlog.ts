// Counts the deliveries that are due and that no worker has claimed.

import type { Context } from '#platform/context.ts'
import { statement, type InLane, inLane } from '#platform/db/db.ts'
import { firstUuid } from '#platform/ids.ts'
import { subscriptionsWithWork } from './claims.ts'

// Reads only the index webhook_delivery_due, plus one look-up for each subscription, and counts at most $6 entries. It
// leaves out failing and disabled subscriptions, because their deliveries do not wait for a worker. It takes 16 ms if one
// subscription has 1 000 000 due rows.
const dueDeliveriesQuery = statement(
  'webhooks.due',
  `with recursive ${subscriptionsWithWork},
   waiting as materialized (
     select step.* from step cross join lateral (
       select 1 from webhook_subscription
        where lane = $1 and tenant_id = step.tenant_id and id = step.subscription_id
          and status = 'active' and failing_since is null limit 1) as healthy
      where step.due_at <= $5)
   select (select min(due_at) from waiting) as oldest,
          (select count(*) from (
             select 1 from waiting cross join lateral (
               select 1 from webhook_delivery
                where lane = $1 and tenant_id = waiting.tenant_id and subscription_id = waiting.subscription_id
                  and due_at <= $5
                order by lane, tenant_id, subscription_id, due_at limit $6) as each
              limit $6) as counted)::int as count`,
)

type Due = { count: number; oldest: Date | null }

/** Counts at most `limit` rows of the first `subscriptionsMax` subscriptions that have deliveries to send. */
export async function findDue(
  db: InLane,
  now: Date,
  { limit, subscriptionsMax }: { limit: number; subscriptionsMax: number },
): Promise<Due> {
  const [row] = await db.query<Due>(dueDeliveriesQuery, [db.lane, firstUuid, firstUuid, subscriptionsMax, now, limit])
  return row ?? { count: 0, oldest: null }
}

const countedMax = 10_000
/** Each subscription costs two index look-ups, 10 µs. */
const countedSubscriptionsMax = 1_000

/** The backlog for monitoring. It is bounded, so it costs the same with a million due rows. */
export function dueDeliveries({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), {
    limit: countedMax,
    subscriptionsMax: countedSubscriptionsMax,
  })
}
