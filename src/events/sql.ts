// All SQL of the events pipe.

import { arrayOf, statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'

export type EventRow = {
  tenant_id: Uuid
  source_id: Uuid
  name: string
  id: Uuid
  reference: string
  data: string
  created_at: Date
}

const insertEventRows = statement(
  'events.insert',
  `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], string_to_array($7, chr(30)),
     $8::timestamptz[]) as v`,
)

// JSON has no control character outside its escapes, so this one can stand between documents, and none needs quoting.
const recordSeparator = '\u001e'

export function insertEvents(tx: Tx, lane: number, rows: EventRow[]): void {
  tx.send(insertEventRows, [
    lane,
    arrayOf(rows, (row) => row.tenant_id),
    arrayOf(rows, (row) => row.source_id),
    arrayOf(rows, (row) => row.name),
    arrayOf(rows, (row) => row.id),
    arrayOf(rows, (row) => row.reference),
    rows.map((row) => row.data).join(recordSeparator),
    arrayOf(rows, (row) => row.created_at),
  ])
}
