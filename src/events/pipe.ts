// The pipe: what became true is written in the transaction that makes it true, and with it a delivery for each
// subscription that named it. An event that is not written with its cause does not exist, and one that is cannot be lost.

import type { Clock } from '#base/clock.ts'
import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { EventName, testEvent } from './catalogue.ts'
import { noHandover, type Handover, type DeliveryInHand } from './handover.ts'
import {
  findSubscribers,
  insertDeliveries,
  insertEvents,
  type EventRow,
  type NewDelivery,
  type Subscriber,
} from './sql.ts'

export type NewEvent = {
  tenantId: Uuid
  name: EventName | typeof testEvent
  /** The payment or deposit that it is about; with the name it identifies the event. */
  sourceId: Uuid
  reference: string
  /** As the business will see it. */
  data: Record<string, unknown>
  atMs: number
  /** Where what made it true stands in its trace. Absent: nobody follows it. */
  trace?: string | null
  /** Made up, to try a receiver. */
  sample?: boolean
  /** To one subscription alone, whatever it asked for. The caller sends it after the commit. */
  only?: { subscriptionId: Uuid; deliveryId: Uuid }
}

export type EventPipe = {
  /** Events may come for these tenants, whose locks are held. Said early, so that reading who listens costs no time of its own. */
  expect(tx: Tx, tenantIds: Iterable<Uuid>): void
  /** The tenant's lock is held: deliveries are numbered. */
  emit(tx: Tx, event: NewEvent): void
}

const outboxKey = Symbol('events of this transaction')

export function createEventPipe(clock: Clock, handover: Handover = noHandover): EventPipe {
  function outboxOf(tx: Tx): Outbox {
    return tx.shared(outboxKey, () => {
      const outbox = new Outbox(tx, clock, handover)
      tx.beforeCommit(() => outbox.write())
      return outbox
    })
  }
  return {
    expect: (tx, tenantIds) => outboxOf(tx).expect(tenantIds),
    emit: (tx, event) => outboxOf(tx).add(event),
  }
}

type Told = { event: NewEvent; data: string }

/** What one transaction tells. */
class Outbox {
  #tx: Tx
  #clock: Clock
  #handover: Handover
  #told: Told[] = []
  #expected = new Set<Uuid>()
  #subscribers: Promise<Subscriber[]>[] = []

  constructor(tx: Tx, clock: Clock, handover: Handover) {
    this.#tx = tx
    this.#clock = clock
    this.#handover = handover
  }

  expect(tenantIds: Iterable<Uuid>): void {
    const wanted = [...new Set(tenantIds)].filter((id) => !this.#expected.has(id))
    if (wanted.length === 0) return
    for (const id of wanted) this.#expected.add(id)
    const found = findSubscribers(this.#tx, wanted)
    found.catch(() => undefined) // The transaction knows of the failure; this may be looked at late or never.
    this.#subscribers.push(found)
  }

  add(event: NewEvent): void {
    this.#told.push({ event, data: JSON.stringify(event.data) })
  }

  async write(): Promise<void> {
    if (this.#told.length === 0) return
    this.expect(this.#told.map(({ event }) => event.tenantId))
    const subscribers = (await Promise.all(this.#subscribers)).flat()
    insertEvents(this.#tx, this.#told.map(rowOf))
    if (subscribers.length === 0) return
    const { deliveries, kept } = this.#address(subscribers)
    if (deliveries.length === 0) return
    insertDeliveries(this.#tx, deliveries)
    if (kept.length > 0) this.#tx.afterCommit(() => this.#handover.take(kept))
  }

  /** A delivery for each subscription that is told, in the order in which the events happened; `kept`: those in hand. */
  #address(subscribers: Subscriber[]): { deliveries: NewDelivery[]; kept: DeliveryInHand[] } {
    const byTenant = Map.groupBy(subscribers, (subscriber) => subscriber.tenantId)
    const deliveries: NewDelivery[] = []
    const kept: DeliveryInHand[] = []
    for (const { event, data } of this.#told) {
      const all = byTenant.get(event.tenantId) ?? []
      for (const subscriber of all.filter((one) => isTold(one, event))) {
        const { subscriptionId } = subscriber.receiver
        // All subscribers of a tenant count on in the tenant's one log.
        const ordinal = (all[0] ?? subscriber).log.ordinal++
        const subscriptionOrdinal = subscriber.ordinal++
        const id = event.only?.deliveryId ?? newUuid(event.atMs)
        const sends = subscriber.active && event.only === undefined
        const keepMs = sends ? this.#handover.keepMs(subscriptionId) : 0
        const dueAt = sends ? new Date(this.#clock.now() + keepMs) : null
        deliveries.push({ event, id, subscriptionId, ordinal, subscriptionOrdinal, dueAt })
        if (keepMs > 0 && dueAt !== null) kept.push({ ...this.#inHand(event, subscriber), id, data, leaseEnd: dueAt })
      }
    }
    return { deliveries, kept }
  }

  #inHand(event: NewEvent, { environment, receiver }: Subscriber): Omit<DeliveryInHand, 'id' | 'data' | 'leaseEnd'> {
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

function isTold({ events, receiver }: Subscriber, { name, only }: NewEvent): boolean {
  return only === undefined ? events.includes(name) : receiver.subscriptionId === only.subscriptionId
}

function rowOf({ event, data }: Told): EventRow {
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
