// SQL that reads events and rewrites them without personal data. Locked rows keep their ctid, so they are updated by
// it.

import { arrayOf, arraysOf, statement, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { withoutPersonalData } from './personal.ts'

type LockedEvent = { place: string; data: string }
type InTime = { at: Date; id: Uuid }

// Uses ctids, because a planner without statistics would look up each key among all events of the tenant.
const nextInTime = statement(
  'privacy.next_events',
  `with next as materialized (
     select ctid as place, created_at, id from event
      where lane = $1 and tenant_id = $2 and (created_at, id) > ($3, $4) and created_at < $5
      order by created_at, id limit $6),
   locked as materialized (
     select ctid as place, data from event
      where lane is not distinct from $1 and ctid = any(array(select place from next)) for update skip locked)
   select next.created_at as at, next.id, next.place::text as place, locked.data
     from next left join locked using (place)
    order by next.created_at, next.id`,
)

/** Locks events between two moments, in order, up to the first one that another transaction has locked. */
export async function lockNextEvents(
  tx: Tx,
  tenantId: Uuid,
  { after, before, limit }: { after: InTime; before: Date; limit: number },
): Promise<(LockedEvent & InTime)[]> {
  const values = [tx.lane, tenantId, after.at, after.id, before, limit]
  const rows = await tx.query<InTime & { place: string; data: string | null }>(nextInTime, values)
  const held = rows.findIndex(({ data }) => data === null)
  return rows.slice(0, held === -1 ? undefined : held).map((row) => ({ ...row, data: row.data ?? '' }))
}

// A deposit has one event. Reads the first row from the key on, in an order that only one index has (see
// deposits/queries.ts).
const ofSources = statement(
  'privacy.events_of_sources',
  `select e.place::text as place, e.data
     from unnest($3::uuid[]) as k (source_id)
     cross join lateral (
       select ctid as place, tenant_id, source_id, data from event
        where lane = $1 and (tenant_id, source_id) >= ($2, k.source_id) order by tenant_id, source_id, name limit 1
          for update) as e
    where e.tenant_id = $2 and e.source_id = k.source_id`,
)

/** Locks all events of these deposits. */
export function lockEventsOf(tx: Tx, tenantId: Uuid, sourceIds: Uuid[]): Promise<LockedEvent[]> {
  return tx.query<LockedEvent>(ofSources, [tx.lane, tenantId, arrayOf(sourceIds.toSorted(), (id) => id)])
}

const rewrite = statement(
  'privacy.rewrite_events',
  `with v as materialized (select * from unnest($2::tid[], $3::text[]) as v (place, data))
   update event e set data = v.data from v
    where e.lane is not distinct from $1 and e.ctid = v.place`,
)

/** Rewrites events that contain personal data; resolves with their number. The rows must be locked. */
export function forgetEvents(tx: Tx, events: LockedEvent[]): number {
  const changed = events
    .map(({ place, data: before }) => ({ place, before, data: withoutPersonalData(before) }))
    .filter(({ data, before }) => data !== before)
  if (changed.length > 0) tx.send(rewrite, [tx.lane, ...arraysOf(changed, 'place', 'data')])
  return changed.length
}
