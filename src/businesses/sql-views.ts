// SQL of saved views.

import { statement, type Queryable, type Tx } from '#base/db.ts'
import type { Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'

export type ViewRow = { id: Uuid; personId: Uuid; noun: string; name: string; query: string; isShared: boolean }

const selectViews = statement(
  'businesses.views',
  `select id, person_id as "personId", noun, name, query, is_shared as "isShared" from saved_view
    where lane = $1 and tenant_id = $2 and (person_id = $3 or is_shared) and ($4::text is null or noun = $4)
    order by id limit $5`,
)

export function listViewRows(
  db: Queryable,
  { lane, id }: Tenant,
  personId: Uuid,
  noun: string | null,
  limit: number,
): Promise<ViewRow[]> {
  return db.query<ViewRow>(selectViews, [lane, id, personId, noun, limit])
}

const countViews = statement(
  'businesses.count_views',
  `select count(*) as views from (
     select 1 from saved_view where lane = $1 and tenant_id = $2 limit $3) as v`,
)

/** Up to `limit`. */
export async function countViewRows(tx: Tx, { lane, id }: Tenant, limit: number): Promise<number> {
  const [row] = await tx.query<{ views: bigint }>(countViews, [lane, id, limit])
  return Number(row?.views ?? 0n)
}

const insertViewRow = statement(
  'businesses.insert_view',
  `insert into saved_view (lane, tenant_id, id, person_id, noun, name, query, is_shared, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

export function insertView(tx: Tx, { lane, id }: Tenant, view: ViewRow, at: Date): void {
  const { personId, noun, name, query, isShared } = view
  tx.send(insertViewRow, [lane, id, view.id, personId, noun, name, query, isShared, at])
}

const deleteViewRow = statement(
  'businesses.delete_view',
  `delete from saved_view where lane = $1 and tenant_id = $2 and id = $3 and (person_id = $4 or (is_shared and $5))
   returning id`,
)

/** False: there is none that this person may take away. */
export async function deleteView(
  tx: Tx,
  { lane, id }: Tenant,
  view: Uuid,
  { personId, anybodys }: { personId: Uuid; anybodys: boolean },
): Promise<boolean> {
  const rows = await tx.query(deleteViewRow, [lane, id, view, personId, anybodys])
  return rows.length > 0
}
