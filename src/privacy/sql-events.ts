// The SQL that reads what events say, and writes it again without what is personal.

import { arrayOf, arraysOf, statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { withoutPersonalData } from './personal.ts'

type EventRow = { sourceId: Uuid; name: string; data: string }

const nextInTime = statement(
  'privacy.next_events',
  `with next as materialized (
     select source_id, name, created_at, id from event
      where lane = $1 and tenant_id = $2 and (created_at, id) > ($3, $4) and created_at < $5
      order by created_at, id limit $6)
   select n.created_at as at, n.id, n.source_id as "sourceId", n.name, e.data
     from next n left join lateral (
       select data from event
        where lane = $1 and tenant_id = $2 and source_id = n.source_id and name = n.name limit 1
          for update skip locked) as e on true
    order by n.created_at, n.id`,
)

type InTime = { at: Date; id: Uuid }

/** What happened between two moments, in order, locked: up to the first event that somebody else holds. */
export async function lockNextEvents(
  tx: Tx,
  tenantId: Uuid,
  { after, before, limit }: { after: InTime; before: Date; limit: number },
): Promise<(EventRow & InTime)[]> {
  const values = [tx.lane, tenantId, after.at, after.id, before, limit]
  const rows = await tx.query<InTime & { sourceId: Uuid; name: string; data: string | null }>(nextInTime, values)
  const held = rows.findIndex(({ data }) => data === null)
  return rows.slice(0, held === -1 ? undefined : held).map((row) => ({ ...row, data: row.data ?? '' }))
}

const ofSources = statement(
  'privacy.events_of_sources',
  `select e.source_id as "sourceId", e.name, e.data
     from unnest($3::uuid[]) as k (source_id)
     cross join lateral (
       select * from event
        where lane = $1 and tenant_id = $2 and source_id = k.source_id order by name limit 100 for update) as e`,
)

/** All that was told of these deposits, locked. */
export function lockEventsOf(tx: Tx, tenantId: Uuid, sourceIds: Uuid[]): Promise<EventRow[]> {
  return tx.query<EventRow>(ofSources, [tx.lane, tenantId, arrayOf(sourceIds.toSorted(), (id) => id)])
}

const rewrite = statement(
  'privacy.rewrite_events',
  `with v as materialized (
     select e.place, k.data
       from unnest($3::uuid[], $4::text[], $5::text[]) as k (source_id, name, data)
       cross join lateral (
         select ctid as place from event
          where lane = $1 and tenant_id = $2 and source_id = k.source_id and name = k.name limit 1) as e)
   update event e set data = v.data from v
    where e.lane = $1 and e.ctid = any(array(select place from v)) and e.ctid = v.place`,
)

/** Rewrites those that say something personal; resolves with how many. The rows must be locked. */
export function forgetEvents(tx: Tx, tenantId: Uuid, events: EventRow[]): number {
  const changed = events
    .map((event) => ({ ...event, data: withoutPersonalData(event.data), before: event.data }))
    .filter(({ data, before }) => data !== before)
  if (changed.length > 0) tx.send(rewrite, [tx.lane, tenantId, ...arraysOf(changed, 'sourceId', 'name', 'data')])
  return changed.length
}
