// The SQL of what keeps events in their table: somebody may still be told of them, or somebody's data is in them.

import { statement, type InLane } from '#base/db.ts'

// From the bottom of each tenant's log, which is in the order of time.
const deliveries = statement(
  'archive.has_deliveries',
  `select 1 from tenant t
    cross join lateral (
      select created_at from webhook_delivery where lane = $1 and tenant_id = t.id and ordinal > 0 order by ordinal limit 1) as first
    where t.lane = $1 and first.created_at < $2 limit 1`,
)

/** Whether a delivery of an event from before this moment is in the log. */
export async function hasDeliveries(lane: InLane, until: Date): Promise<boolean> {
  return (await lane.query(deliveries, [lane.lane, until])).length > 0
}

// Behind the place to which the walk that forgets has come (privacy/sql-retain.ts).
const unforgotten = statement(
  'archive.has_unforgotten',
  `select 1 from tenant t
     left join lateral (
       select at, id from retention_progress where lane = $1 and tenant_id = t.id and list = 'events' limit 1) as p on true
    cross join lateral (
      select created_at from event
       where lane = $1 and tenant_id = t.id and created_at >= coalesce(p.at, '-infinity')
         and (created_at, id) > (coalesce(p.at, '-infinity'), coalesce(p.id, '00000000-0000-0000-0000-000000000000'))
       order by created_at, id limit 1) as next
    where t.lane = $1 and next.created_at < $2 limit 1`,
)

/** Whether an event from before this moment has not been gone through by who forgets. */
export async function hasUnforgotten(lane: InLane, until: Date): Promise<boolean> {
  return (await lane.query(unforgotten, [lane.lane, until])).length > 0
}
