// Saved views: filters, sort order and columns of a list that a user saves under a name, for themselves or for the
// whole business.

import type { Tenant, Context } from '#platform/context.ts'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { type Uuid, newUuid } from '#platform/ids.ts'

type ViewRow = { id: Uuid; personId: Uuid; noun: string; name: string; query: string; isShared: boolean }

const selectViews = statement(
  'businesses.views',
  `select id, person_id as "personId", noun, name, query, is_shared as "isShared" from saved_view
    where lane = $1 and tenant_id = $2 and (person_id = $3 or is_shared) and ($4::text is null or noun = $4)
    order by id limit $5`,
)

function listViewRows(
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
     select 1 from saved_view where lane = $1 and tenant_id = $2 and (person_id = $3 or is_shared) limit $4) as v`,
)

async function countViewRows(tx: Tx, { lane, id }: Tenant, personId: Uuid, limit: number): Promise<number> {
  const [row] = await tx.query<{ views: bigint }>(countViews, [lane, id, personId, limit])
  return Number(row?.views ?? 0n)
}

const insertViewRow = statement(
  'businesses.insert_view',
  `insert into saved_view (lane, tenant_id, id, person_id, noun, name, query, is_shared, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

function insertView(tx: Tx, { lane, id }: Tenant, view: ViewRow, at: Date): void {
  const { personId, noun, name, query, isShared } = view
  tx.send(insertViewRow, [lane, id, view.id, personId, noun, name, query, isShared, at])
}

const deleteViewRow = statement(
  'businesses.delete_view',
  `delete from saved_view where lane = $1 and tenant_id = $2 and id = $3 and (person_id = $4 or (is_shared and $5))
   returning id`,
)

/** Returns false if there is no such view that this user may delete. */
async function deleteView(
  tx: Tx,
  { lane, id }: Tenant,
  view: Uuid,
  { personId, mayDeleteShared }: { personId: Uuid; mayDeleteShared: boolean },
): Promise<boolean> {
  const rows = await tx.query(deleteViewRow, [lane, id, view, personId, mayDeleteShared])
  return rows.length > 0
}

export type SavedView = ViewRow

/**
 * The most views of one tenant that a user sees: their own and the shared ones. In a longer list, users could not find
 * a view.
 */
export const viewsMax = 500

export function listViews(ctx: Context, tenant: Tenant, personId: Uuid, noun?: string): Promise<SavedView[]> {
  return listViewRows(ctx.db, tenant, personId, noun ?? null, viewsMax)
}

/** Returns undefined if there are too many already. */
export function saveView(ctx: Context, tenant: Tenant, view: Omit<SavedView, 'id'>): Promise<SavedView | undefined> {
  return ctx.db.transaction(async (tx) => {
    if ((await countViewRows(tx, tenant, view.personId, viewsMax)) >= viewsMax) return undefined
    const nowMs = ctx.clock.now()
    const saved = { ...view, id: newUuid(nowMs) }
    insertView(tx, tenant, saved, new Date(nowMs))
    return saved
  })
}

/**
 * Deletes a view of this user. `mayDeleteShared`: the user may see the settings of the business, and so may delete any
 * shared view. Returns false if there is no such view.
 */
export function removeView(
  ctx: Context,
  tenant: Tenant,
  id: Uuid,
  who: { personId: Uuid; mayDeleteShared: boolean },
): Promise<boolean> {
  return ctx.db.transaction((tx) => deleteView(tx, tenant, id, who))
}
