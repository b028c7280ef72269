// All SQL of the events pipe. It writes deliveries; the sending carries them on.

import type { Environment } from '#base/context.ts'
import { arrayOf, arraysOf, statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { lastRowOf } from '#base/numbered-list.ts'
import { receiverColumns, receiverOf, type Receiver } from './receiver.ts'

export type EventRow = {
  tenantId: Uuid
  sourceId: Uuid
  name: string
  id: Uuid
  reference: string
  data: string
  createdAt: Date
  sample: boolean
  trace: string | null
}

const insertEventRows = statement(
  'events.insert',
  `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at, sample, trace)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], string_to_array($7, chr(30)),
     $8::timestamptz[], $9::boolean[], $10::text[]) as v`,
)

// JSON has no control character outside its escapes, so this one can stand between documents, and none needs quoting.
const recordSeparator = '\u001e'

export function insertEvents(tx: Tx, rows: EventRow[]): void {
  tx.send(insertEventRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'sourceId', 'name', 'id', 'reference'),
    rows.map((row) => row.data).join(recordSeparator),
    ...arraysOf(rows, 'createdAt', 'sample', 'trace'),
  ])
}

/** A subscription as the pipe sees it. The numbers are the next ones; a delivery that takes one counts on. */
export type Subscriber = {
  tenantId: Uuid
  environment: Environment
  /** What is not active is written, and not sent. */
  active: boolean
  events: string[]
  receiver: Receiver
  /** In its own part of the log. */
  ordinal: bigint
  /** The whole tenant's log: the same object for all of its subscribers. */
  log: { ordinal: bigint }
}

type SubscriberRow = Receiver & {
  tenantId: Uuid
  environment: Environment
  active: boolean
  events: string[]
  lastOfSubscription: bigint
  lastOfTenant: bigint
}

const subscribersOf = statement(
  'events.subscribers',
  `select t.id as "tenantId", tenant.environment, s.status = 'active' as active, s.events, ${receiverColumns},
          coalesce(own.subscription_ordinal, 0) as "lastOfSubscription", coalesce(log.ordinal, 0) as "lastOfTenant"
     from unnest($2::uuid[]) as t (id)
     cross join lateral (
       select * from webhook_subscription
        where lane = $1 and tenant_id = t.id and status <> 'deleted' order by id limit 100) as s
     cross join lateral (select environment from tenant where lane = $1 and id = t.id limit 1) as tenant
     left join lateral (${lastRowOf({
       table: 'webhook_delivery',
       list: { tenant_id: 't.id' },
       number: 'ordinal',
       indexed: 'ordinal > 0',
     })}) as log on true
     left join lateral (${lastRowOf({
       table: 'webhook_delivery',
       list: { tenant_id: 't.id', subscription_id: 's.id' },
       number: 'subscription_ordinal',
       indexed: 'subscription_ordinal > 0',
     })}) as own on true`,
)

export async function findSubscribers(tx: Tx, tenantIds: Uuid[]): Promise<Subscriber[]> {
  const rows = await tx.query<SubscriberRow>(subscribersOf, [tx.lane, arrayOf(tenantIds, (id) => id)])
  const logs = new Map<Uuid, { ordinal: bigint }>()
  return rows.map((row) => {
    const { tenantId, environment, active, events } = row
    const log = logs.get(tenantId) ?? { ordinal: row.lastOfTenant + 1n }
    logs.set(tenantId, log)
    return {
      tenantId,
      environment,
      active,
      events,
      receiver: receiverOf(row),
      ordinal: row.lastOfSubscription + 1n,
      log,
    }
  })
}

export type NewDelivery = {
  event: { tenantId: Uuid; sourceId: Uuid; name: string; reference: string; atMs: number }
  id: Uuid
  subscriptionId: Uuid
  ordinal: bigint
  subscriptionOrdinal: bigint
  /** Null: it is not to be sent. */
  dueAt: Date | null
}

const insertDeliveryRows = statement(
  'events.insert_deliveries',
  `insert into webhook_delivery
     (lane, status, tenant_id, id, subscription_id, source_id, event, reference, ordinal, subscription_ordinal,
      created_at, updated_at, next_attempt_at, due_at)
   select $1, 'pending', v.tenant_id, v.id, v.subscription_id, v.source_id, v.event, v.reference, v.ordinal,
          v.subscription_ordinal, v.created_at, v.created_at, case when v.due_at is not null then v.created_at end, v.due_at
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
       $10::timestamptz[], $11::timestamptz[])
       as v (tenant_id, id, subscription_id, source_id, event, reference, ordinal, subscription_ordinal, created_at,
         due_at)`,
)

export function insertDeliveries(tx: Tx, rows: NewDelivery[]): void {
  tx.send(insertDeliveryRows, [
    tx.lane,
    arrayOf(rows, (row) => row.event.tenantId),
    ...arraysOf(rows, 'id', 'subscriptionId'),
    arrayOf(rows, (row) => row.event.sourceId),
    arrayOf(rows, (row) => row.event.name),
    arrayOf(rows, (row) => row.event.reference),
    ...arraysOf(rows, 'ordinal', 'subscriptionOrdinal'),
    arrayOf(rows, (row) => new Date(row.event.atMs)),
    arrayOf(rows, (row) => row.dueAt),
  ])
}
