// The SQL that tells how many deliveries are due and nobody has taken up.

import type { Context } from '#platform/context.ts'
import { statement, type InLane, inLane } from '#platform/db/db.ts'
import { firstUuid } from '#platform/ids.ts'
import { subscriptionsWithWork } from './claims.ts'

// Out of the index webhook_delivery_due alone, beside one look-up for each subscription; at most $6 entries are counted. What
// waits for a receiver that fails, or is not sent to, waits for that receiver and not for a worker. Beside 1 000 000 due rows
// of one subscription: 16 ms.
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

/** No more than `limit` are counted, of the first `subscriptionsMax` subscriptions that have something to be sent. */
export async function findDue(
  db: InLane,
  now: Date,
  { limit, subscriptionsMax }: { limit: number; subscriptionsMax: number },
): Promise<Due> {
  const [row] = await db.query<Due>(dueDeliveriesQuery, [db.lane, firstUuid, firstUuid, subscriptionsMax, now, limit])
  return row ?? { count: 0, oldest: null }
}

// How much is due, for whoever watches the work: bounded, so that it costs the same beside a million due rows.

const countedMax = 10_000
/** Each costs two look-ups in an index: 10 µs. */
const countedSubscriptionsMax = 1_000

/** Not what waits for a receiver that fails. */
export function dueDeliveries({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), {
    limit: countedMax,
    subscriptionsMax: countedSubscriptionsMax,
  })
}
