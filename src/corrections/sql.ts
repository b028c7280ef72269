// The SQL that proves adjustments: the index of them is walked, and what they name is looked up.

import { arrayOf, statement, type Queryable } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import { pageOf, pages, type Page, type Walk } from '#ledger/walk.ts'

const adjustmentPage = statement(
  'corrections.verify_adjustments',
  pageOf({
    table: 'ledger_movement',
    key: 'source_id',
    columns: 'id, reference',
    where: `kind = 'adjustment'`,
    parts: 'select tenant_id as "tenantId", id, source_id as item, reference from page',
  }),
)

export type Adjustment = { tenantId: Uuid; id: Uuid; item: Uuid; reference: string }

export function adjustmentPages(walk: Walk): AsyncGenerator<Page<Adjustment>> {
  return pages<Adjustment>(adjustmentPage, firstUuid, walk)
}

const closedItems = statement(
  'corrections.closed_items',
  `select id from exception where id = any($1::uuid[]) and closed_at is not null
   union all select id from rail_break where id = any($1::uuid[]) and closed_at is not null`,
)

export async function findClosedItems(db: Queryable, ids: Uuid[]): Promise<Set<Uuid>> {
  const rows = await db.query<{ id: Uuid }>(closedItems, [arrayOf(ids, (id) => id)])
  return new Set(rows.map(({ id }) => id))
}
