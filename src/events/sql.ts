// All SQL of the events pipe. It writes deliveries; the webhooks room carries them on.

import type { Environment } from '#base/context.ts'
import { arrayOf, statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Receiver } from './courier.ts'

export type EventRow = {
  tenant_id: Uuid
  source_id: Uuid
  name: string
  id: Uuid
  reference: string
  data: string
  created_at: Date
  sample: boolean
}

const insertEventRows = statement(
  'events.insert',
  `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at, sample)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], string_to_array($7, chr(30)),
     $8::timestamptz[], $9::boolean[]) as v`,
)

// JSON has no control character outside its escapes, so this one can stand between documents, and none needs quoting.
const recordSeparator = '\u001e'

export function insertEvents(tx: Tx, rows: EventRow[]): void {
  tx.send(insertEventRows, [
    tx.lane,
    arrayOf(rows, (row) => row.tenant_id),
    arrayOf(rows, (row) => row.source_id),
    arrayOf(rows, (row) => row.name),
    arrayOf(rows, (row) => row.id),
    arrayOf(rows, (row) => row.reference),
    rows.map((row) => row.data).join(recordSeparator),
    arrayOf(rows, (row) => row.created_at),
    arrayOf(rows, (row) => row.sample),
  ])
}

/** A subscription as the pipe sees it. The numbers are the next ones; who takes one counts on. */
export type Subscriber = {
  tenantId: Uuid
  environment: Environment
  /** What is not active is written, and not sent. */
  active: boolean
  events: string[]
  receiver: Receiver
  place: bigint
  /** Of the whole tenant: the same object for all of its subscribers. */
  log: { ordinal: bigint }
}

type SubscriberRow = {
  tenant_id: Uuid
  environment: Environment
  subscription_id: Uuid
  url: string
  events: string[]
  status: 'active' | 'disabled'
  secret: Buffer
  old_secret: Buffer | null
  old_secret_until: Date | null
  failing_since: Date | null
  last_place: bigint
  last_ordinal: bigint
}

const subscribersOf = statement(
  'events.subscribers',
  `select t.id as tenant_id, tenant.environment, s.id as subscription_id, s.url, s.events, s.status, s.secret,
          s.old_secret, s.old_secret_until, s.failing_since, coalesce(place.last, 0) as last_place, coalesce(log.last, 0) as last_ordinal
     from unnest($2::uuid[]) as t (id)
     cross join lateral (
       select * from webhook_subscription
        where lane = $1 and tenant_id = t.id and status <> 'deleted' order by id limit 100) as s
     cross join lateral (select environment from tenant where lane = $1 and id = t.id limit 1) as tenant
     left join lateral (
       select ordinal as last from webhook_delivery
        where lane = $1 and tenant_id = t.id and ordinal > 0 order by ordinal desc limit 1) as log on true
     left join lateral (
       select place as last from webhook_delivery
        where lane = $1 and tenant_id = t.id and subscription_id = s.id and place > 0 order by place desc limit 1)
       as place on true`,
)

export async function findSubscribers(tx: Tx, tenantIds: Uuid[]): Promise<Subscriber[]> {
  const rows = await tx.query<SubscriberRow>(subscribersOf, [tx.lane, arrayOf(tenantIds, (id) => id)])
  const logs = new Map<Uuid, { ordinal: bigint }>()
  return rows.map((row) => {
    const log = logs.get(row.tenant_id) ?? { ordinal: row.last_ordinal + 1n }
    logs.set(row.tenant_id, log)
    return {
      tenantId: row.tenant_id,
      environment: row.environment,
      active: row.status === 'active',
      events: row.events,
      receiver: {
        subscriptionId: row.subscription_id,
        url: row.url,
        secret: row.secret,
        oldSecret: row.old_secret,
        oldSecretUntil: row.old_secret_until,
        failing: row.failing_since !== null,
      },
      place: row.last_place + 1n,
      log,
    }
  })
}

export type NewDelivery = {
  event: { tenantId: Uuid; sourceId: Uuid; name: string; reference: string; atMs: number }
  id: Uuid
  subscriptionId: Uuid
  ordinal: bigint
  place: bigint
  /** Null: nobody is to send it. */
  dueAt: Date | null
}

const insertDeliveryRows = statement(
  'events.insert_deliveries',
  `insert into webhook_delivery
     (lane, status, tenant_id, id, subscription_id, source_id, event, reference, ordinal, place, created_at, updated_at,
      next_attempt_at, due_at)
   select $1, 'pending', v.tenant_id, v.id, v.subscription_id, v.source_id, v.event, v.reference, v.ordinal, v.place,
          v.created_at, v.created_at, case when v.due_at is not null then v.created_at end, v.due_at
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
       $10::timestamptz[], $11::timestamptz[])
       as v (tenant_id, id, subscription_id, source_id, event, reference, ordinal, place, created_at, due_at)`,
)

export function insertDeliveries(tx: Tx, rows: NewDelivery[]): void {
  tx.send(insertDeliveryRows, [
    tx.lane,
    arrayOf(rows, (row) => row.event.tenantId),
    arrayOf(rows, (row) => row.id),
    arrayOf(rows, (row) => row.subscriptionId),
    arrayOf(rows, (row) => row.event.sourceId),
    arrayOf(rows, (row) => row.event.name),
    arrayOf(rows, (row) => row.event.reference),
    arrayOf(rows, (row) => row.ordinal),
    arrayOf(rows, (row) => row.place),
    arrayOf(rows, (row) => new Date(row.event.atMs)),
    arrayOf(rows, (row) => row.dueAt),
  ])
}
