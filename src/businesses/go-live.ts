// Points of the go-live checklist that an owner waived, with the owner's reason, before the business went live.

import { recordEntry } from '#audit/record.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'

type WaiverRow = { point: string; waivedBy: string; reason: string }

const selectWaivers = statement(
  'businesses.waivers',
  `select point, waived_by as "waivedBy", reason from go_live_waiver where lane = $1 and tenant_id = $2`,
)

function listWaiverRows(db: Queryable, { lane, id }: Tenant): Promise<WaiverRow[]> {
  return db.query<WaiverRow>(selectWaivers, [lane, id])
}

const insertWaiverRow = statement(
  'businesses.insert_waiver',
  `insert into go_live_waiver (lane, tenant_id, point, waived_by, reason, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing returning point`,
)

/** Returns false if it was already waived. */
async function insertWaiver(tx: Tx, { lane, id }: Tenant, waiver: WaiverRow, at: Date): Promise<boolean> {
  const { point, waivedBy, reason } = waiver
  const rows = await tx.query(insertWaiverRow, [lane, id, point, waivedBy, reason, at])
  return rows.length > 0
}

type Waiver = WaiverRow

export function listWaivers(ctx: Context, tenant: Tenant): Promise<Waiver[]> {
  return listWaiverRows(ctx.db, tenant)
}

/** A point that is waived stays waived, with the first reason. */
export function waivePoint(ctx: Context, tenant: Tenant, { point, reason }: Omit<Waiver, 'waivedBy'>): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const waiver = { point, reason, waivedBy: ctx.by.name }
    if (!(await insertWaiver(tx, tenant, waiver, new Date(nowMs)))) return
    const details = { point, reason }
    recordEntry(tx, nowMs, { by: ctx.by, act: 'go-live.waived', tenantId: tenant.id, details })
  })
}
