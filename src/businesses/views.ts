// Filters, sort and columns of a list that a person keeps under a name, for themselves or for all of their business.

import type { Context, Tenant } from '#base/context.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import { countViewRows, deleteView, insertView, listViewRows, type ViewRow } from './sql-views.ts'

export type SavedView = ViewRow

/** Of a tenant. Longer lists help nobody to find a list. */
export const viewsMax = 500

export function listViews(ctx: Context, tenant: Tenant, personId: Uuid, noun?: string): Promise<SavedView[]> {
  return listViewRows(ctx.db, tenant, personId, noun ?? null, viewsMax)
}

/** Undefined: there are too many already. */
export function saveView(ctx: Context, tenant: Tenant, view: Omit<SavedView, 'id'>): Promise<SavedView | undefined> {
  return ctx.db.transaction(async (tx) => {
    if ((await countViewRows(tx, tenant, viewsMax)) >= viewsMax) return undefined
    const nowMs = ctx.clock.now()
    const saved = { ...view, id: newUuid(nowMs) }
    insertView(tx, tenant, saved, new Date(nowMs))
    return saved
  })
}

/** Their own; a shared one also by whoever looks after the business. False: there is none of these. */
export function removeView(
  ctx: Context,
  tenant: Tenant,
  id: Uuid,
  who: { personId: Uuid; anybodys: boolean },
): Promise<boolean> {
  return ctx.db.transaction((tx) => deleteView(tx, tenant, id, who))
}
