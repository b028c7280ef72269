// What an owner answered for in place of having it done before the business went live.

import { record } from '#audit/record.ts'
import type { Context, Tenant } from '#base/context.ts'
import { insertWaiver, listWaiverRows, type WaiverRow } from './sql-go-live.ts'

export type Waiver = WaiverRow

export function listWaivers(ctx: Context, tenant: Tenant): Promise<Waiver[]> {
  return listWaiverRows(ctx.db, tenant)
}

/** Waived once, it stays waived with the first reason. */
export function waive(ctx: Context, tenant: Tenant, { point, reason }: Omit<Waiver, 'waivedBy'>): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const waiver = { point, reason, waivedBy: ctx.by.name }
    if (!(await insertWaiver(tx, tenant, waiver, new Date(nowMs)))) return
    const details = { point, reason }
    record(tx, nowMs, { by: ctx.by, act: 'go-live.waived', tenantId: tenant.id, details })
  })
}
