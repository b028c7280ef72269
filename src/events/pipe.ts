// The pipe: what became true is written in the transaction that makes it true, one statement for all events of a batch.
// An event that is not written with its cause does not exist, and one that is cannot be lost.

import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { EventName } from './catalogue.ts'
import { insertEvents, type EventRow } from './sql.ts'

export type NewEvent = {
  tenantId: Uuid
  name: EventName
  /** The payment or deposit that it is about; with the name it identifies the event. */
  sourceId: Uuid
  reference: string
  /** As the business will see it. */
  data: Record<string, unknown>
  atMs: number
}

export type EventPipe = {
  /** Something may be emitted for these tenants in this transaction. Said early, so that it costs no round trip of its own. */
  expect(tx: Tx, lane: number, tenantIds: Iterable<Uuid>): void
  emit(tx: Tx, lane: number, event: NewEvent): void
}

const gatheredKey = Symbol('events of this transaction')

export function createEventPipe(): EventPipe {
  return {
    expect() {},
    emit(tx, lane, event) {
      const gathered = tx.shared<EventRow[]>(gatheredKey, () => {
        const rows: EventRow[] = []
        tx.beforeCommit(() => insertEvents(tx, lane, rows))
        return rows
      })
      gathered.push({
        tenant_id: event.tenantId,
        source_id: event.sourceId,
        name: event.name,
        id: newUuid(event.atMs),
        reference: event.reference,
        data: JSON.stringify(event.data),
        created_at: new Date(event.atMs),
      })
    },
  }
}
