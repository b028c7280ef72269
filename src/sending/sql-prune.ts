// The SQL that forgets old deliveries.

import { statement, type InLane, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'

const oldLogs = statement(
  'webhooks.old_logs',
  `select t.id, first.created_at < $3 as old
     from (select id from tenant where lane = $1 and id > $2 order by id limit $4) as t
     left join lateral (
       select created_at from webhook_delivery
        where lane = $1 and tenant_id = t.id and ordinal > 0 order by ordinal limit 1) as first on true
    order by t.id`,
)

/** The next tenants of a lane behind one, and whether the oldest delivery of each is older than that. */
export function findLogs(
  db: InLane,
  after: Uuid,
  { before, limit }: { before: Date; limit: number },
): Promise<{ id: Uuid; old: boolean | null }[]> {
  return db.query(oldLogs, [db.lane, after, before, limit])
}

// From the bottom up to the first that is kept, so that what is left is dense. Locked by key, as whoever records attempts
// locks them, and waited for, not skipped: two that prune at once must not leave a hole. `offset 0` keeps a planner without
// statistics from joining.
const pruneLog = statement(
  'webhooks.prune',
  `with bottom as materialized (
     select id, ordinal, created_at from webhook_delivery
      where lane = $1 and tenant_id = $2 and ordinal > 0 order by ordinal limit $4),
   kept as materialized (select min(ordinal) as first from bottom where created_at >= $3),
   old as materialized (
     select id from bottom cross join kept where kept.first is null or bottom.ordinal < kept.first order by id),
   gone as materialized (
     select d.row_place, old.id from old cross join lateral (
       select ctid as row_place from webhook_delivery
        where lane = $1 and tenant_id = $2 and id = old.id limit 1 for update) as d),
   attempts as materialized (
     select a.row_place from gone cross join lateral (
       select ctid as row_place from webhook_attempt
        where lane = $1 and tenant_id = $2 and delivery_id = gone.id offset 0) as a),
   forgotten as (delete from webhook_attempt where lane = $1 and ctid = any(array(select row_place from attempts))),
   deleted as (delete from webhook_delivery where lane = $1 and ctid = any(array(select row_place from gone)) returning 1)
   select count(*) as count from deleted`,
)

/** Resolves with how many it deleted. */
export async function pruneDeliveries(
  tx: Tx,
  tenantId: Uuid,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const [row] = await tx.query<{ count: bigint }>(pruneLog, [tx.lane, tenantId, before, limit])
  return Number(row?.count ?? 0n)
}
