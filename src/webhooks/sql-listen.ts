// The SQL of listening along: a tenant's events in the order in which they happened, by the index event_by_time, whose
// condition each statement repeats.

import type { Tenant } from '#base/context.ts'
import { arrayOf, statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'

/** Where an event stands in time. */
export type EventKey = { createdAt: Date; id: Uuid }

const newestKey = statement(
  'listen.newest',
  `select created_at as "createdAt", id from event
    where lane = $1 and tenant_id = $2 and created_at is not null order by created_at desc, id desc limit 1`,
)

export async function findNewestEvent(db: Queryable, tenant: Tenant): Promise<EventKey | undefined> {
  return (await db.query<EventKey>(newestKey, [tenant.lane, tenant.id]))[0]
}

// Keys alone come from the index: most of them were seen before, and what those events say is not read again.
const keysAfter = statement(
  'listen.keys_after',
  `select created_at as "createdAt", id from event
    where lane = $1 and tenant_id = $2 and created_at is not null and (created_at, id) > ($3::timestamptz, $4::uuid)
    order by created_at, id limit $5`,
)

export function listEventKeys(
  db: Queryable,
  tenant: Tenant,
  { after, limit }: { after: EventKey; limit: number },
): Promise<EventKey[]> {
  return db.query(keysAfter, [tenant.lane, tenant.id, after.createdAt, after.id, limit])
}

export type EventText = { id: Uuid; name: string; reference: string; createdAt: Date; data: string }

const textsOf = statement(
  'listen.texts',
  `select e.id, e.name, e.reference, e.created_at as "createdAt", e.data
     from unnest($3::timestamptz[], $4::uuid[]) as k (created_at, id)
     cross join lateral (
       select id, name, reference, created_at, data from event
        where lane = $1 and tenant_id = $2 and created_at = k.created_at and id = k.id limit 1) as e
    order by e.created_at, e.id`,
)

export function readEvents(db: Queryable, tenant: Tenant, keys: EventKey[]): Promise<EventText[]> {
  const at = arrayOf(keys, (key) => key.createdAt)
  return db.query<EventText>(textsOf, [tenant.lane, tenant.id, at, arrayOf(keys, (key) => key.id)])
}
