// The outbox: an event is written in the transaction of its cause, together with a delivery for each subscription to
// it. So no event exists without its cause, and none is lost.

import type { Clock } from '#platform/clock.ts'
import type { Environment, OfTenant } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type Tx } from '#platform/db/db.ts'
import { lastRowOf } from '#platform/db/numbered-list.ts'
import { type Uuid, newUuid } from '#platform/ids.ts'
import type { EventName, testEvent } from './catalogue.ts'
import { receiverColumns, receiverOf, type Receiver } from './receiver.ts'

type EventRow = {
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

// JSON escapes control characters, so this character occurs in no document.
const recordSeparator = '\u001e'

function insertEvents(tx: Tx, rows: EventRow[]): void {
  tx.send(insertEventRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'sourceId', 'name', 'id', 'reference'),
    rows.map((row) => row.data).join(recordSeparator),
    ...arraysOf(rows, 'createdAt', 'sample', 'trace'),
  ])
}

/** `ordinal` and `log.ordinal` are the next free numbers; each delivery takes one of each. */
type Subscriber = {
  tenantId: Uuid
  environment: Environment
  /** If false, its deliveries are stored and not sent. */
  active: boolean
  events: string[]
  receiver: Receiver
  ordinal: bigint
  /** The log of the tenant: all of its subscribers share one object. */
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

async function findSubscribers(tx: Tx, tenantIds: Uuid[]): Promise<Subscriber[]> {
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

type NewDelivery = {
  event: { tenantId: Uuid; sourceId: Uuid; name: string; reference: string; atMs: number }
  id: Uuid
  subscriptionId: Uuid
  ordinal: bigint
  subscriptionOrdinal: bigint
  /** Null if no worker sends it: its subscription is disabled, or the caller of `emit` sends it. */
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

function insertDeliveries(tx: Tx, rows: NewDelivery[]): void {
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

export type NewEvent = {
  tenantId: Uuid
  name: EventName | typeof testEvent
  /** The payment or deposit. With the name, it identifies the event. */
  sourceId: Uuid
  reference: string
  data: Record<string, unknown>
  atMs: number
  trace?: string | null
  sample?: boolean
  /**
   * Delivers the event to this subscription alone, even if it did not subscribe to the event. The caller sends the
   * delivery after the commit.
   */
  only?: { subscriptionId: Uuid; deliveryId: Uuid }
}

export type EventOutbox = {
  /**
   * Announces that events may follow for these tenants, whose locks are held. An early call lets the query for
   * subscribers run beside other queries.
   */
  expect(tx: Tx, tenantIds: Iterable<Uuid>): void
  emit(tx: Tx, event: NewEvent): void
}

const outboxKey = Symbol('events of this transaction')

export function createEventOutbox(clock: Clock, dispatch: InProcessDispatch = noDispatch): EventOutbox {
  function outboxOf(tx: Tx): Outbox {
    return tx.shared(outboxKey, () => {
      const outbox = new Outbox(tx, clock, dispatch)
      tx.beforeCommit(() => outbox.write())
      return outbox
    })
  }
  return {
    expect: (tx, tenantIds) => outboxOf(tx).expect(tenantIds),
    emit: (tx, event) => outboxOf(tx).add(event),
  }
}

type QueuedEvent = { event: NewEvent; data: string }

class Outbox {
  #tx: Tx
  #clock: Clock
  #dispatch: InProcessDispatch
  #queued: QueuedEvent[] = []
  #expected = new Set<Uuid>()
  #subscribers: Promise<Subscriber[]>[] = []

  constructor(tx: Tx, clock: Clock, dispatch: InProcessDispatch) {
    this.#tx = tx
    this.#clock = clock
    this.#dispatch = dispatch
  }

  expect(tenantIds: Iterable<Uuid>): void {
    const wanted = [...new Set(tenantIds)].filter((id) => !this.#expected.has(id))
    if (wanted.length === 0) return
    for (const id of wanted) this.#expected.add(id)
    const found = findSubscribers(this.#tx, wanted)
    found.catch(() => undefined) // The transaction reports the failure. Without events nothing awaits this promise.
    this.#subscribers.push(found)
  }

  add(event: NewEvent): void {
    this.#queued.push({ event, data: JSON.stringify(event.data) })
  }

  async write(): Promise<void> {
    if (this.#queued.length === 0) return
    this.expect(this.#queued.map(({ event }) => event.tenantId))
    const subscribers = (await Promise.all(this.#subscribers)).flat()
    insertEvents(this.#tx, this.#queued.map(rowOf))
    if (subscribers.length === 0) return
    const { deliveries, leased } = this.#deliveriesTo(subscribers)
    if (deliveries.length === 0) return
    insertDeliveries(this.#tx, deliveries)
    if (leased.length > 0) this.#tx.afterCommit(() => this.#dispatch.take(leased))
  }

  /**
   * Makes a delivery for each matching subscription, in the order of the events. `leased` are the deliveries that this
   * process sends itself after the commit; any worker may claim the others.
   */
  #deliveriesTo(subscribers: Subscriber[]): { deliveries: NewDelivery[]; leased: LeasedDelivery[] } {
    const byTenant = Map.groupBy(subscribers, (subscriber) => subscriber.tenantId)
    const deliveries: NewDelivery[] = []
    const leased: LeasedDelivery[] = []
    for (const { event, data } of this.#queued) {
      const all = byTenant.get(event.tenantId) ?? []
      for (const subscriber of all.filter((one) => isSubscribed(one, event))) {
        const { subscriptionId } = subscriber.receiver
        const ordinal = (all[0] ?? subscriber).log.ordinal++
        const subscriptionOrdinal = subscriber.ordinal++
        const id = event.only?.deliveryId ?? newUuid(event.atMs)
        const sends = subscriber.active && event.only === undefined
        const keepMs = sends ? this.#dispatch.keepMs(subscriptionId) : 0
        const dueAt = sends ? new Date(this.#clock.now() + keepMs) : null
        deliveries.push({ event, id, subscriptionId, ordinal, subscriptionOrdinal, dueAt })
        if (keepMs > 0 && dueAt !== null)
          leased.push({ ...this.#leasedDelivery(event, subscriber), id, data, leaseEnd: dueAt })
      }
    }
    return { deliveries, leased }
  }

  #leasedDelivery(event: NewEvent, { environment, receiver }: Subscriber): Omit<DeliveryToSend, 'id' | 'data'> {
    return {
      lane: this.#tx.lane,
      tenantId: event.tenantId,
      environment,
      receiver,
      event: event.name,
      reference: event.reference,
      trace: event.trace ?? null,
      createdAt: new Date(event.atMs),
      attempts: 0,
      manual: false,
    }
  }
}

function isSubscribed({ events, receiver }: Subscriber, { name, only }: NewEvent): boolean {
  return only === undefined ? events.includes(name) : receiver.subscriptionId === only.subscriptionId
}

function rowOf({ event, data }: QueuedEvent): EventRow {
  return {
    tenantId: event.tenantId,
    sourceId: event.sourceId,
    name: event.name,
    id: newUuid(event.atMs),
    reference: event.reference,
    data,
    createdAt: new Date(event.atMs),
    sample: event.sample ?? false,
    trace: event.trace ?? null,
  }
}

// Passes new deliveries from the outbox to the delivery worker of the same process, which may lease and send them at
// once.

export type DeliveryToSend = OfTenant & {
  environment: Environment
  id: Uuid
  receiver: Receiver
  event: string
  reference: string
  createdAt: Date
  data: string
  trace: string | null
  attempts: number
  /** True if the business requested this attempt. */
  manual: boolean
}

/** `leaseEnd` is exactly the time at which the row is due. */
export type LeasedDelivery = DeliveryToSend & { leaseEnd: Date }

export type InProcessDispatch = {
  /**
   * Reserves a place for a new delivery of this subscription. Returns for how long this process may lease it; 0 if
   * there is no place, so that any worker may claim it.
   */
  keepMs(subscriptionId: Uuid): number
  take(deliveries: LeasedDelivery[]): void
}

const noDispatch: InProcessDispatch = { keepMs: () => 0, take: () => undefined }

// One request to a receiver, as it is stored and as the log shows it.

export type Attempt = {
  deliveryId: Uuid
  attempt: number
  trigger: 'automatic' | 'manual'
  responseCode: number | null
  error: string | null
  durationMs: number
  /** The beginning of the response body. Null if there was none, or if the query did not select it. */
  responseBody: string | null
  createdAt: Date
}
