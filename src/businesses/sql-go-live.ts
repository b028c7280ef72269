// SQL of what was waived before a business went live.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable, type Tx } from '#base/db.ts'

export type WaiverRow = { point: string; waivedBy: string; reason: string }

const selectWaivers = statement(
  'businesses.waivers',
  `select point, waived_by as "waivedBy", reason from go_live_waiver where lane = $1 and tenant_id = $2`,
)

export function listWaiverRows(db: Queryable, { lane, id }: Tenant): Promise<WaiverRow[]> {
  return db.query<WaiverRow>(selectWaivers, [lane, id])
}

const insertWaiverRow = statement(
  'businesses.insert_waiver',
  `insert into go_live_waiver (lane, tenant_id, point, waived_by, reason, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing returning point`,
)

/** False: it was waived before. */
export async function insertWaiver(tx: Tx, { lane, id }: Tenant, waiver: WaiverRow, at: Date): Promise<boolean> {
  const { point, waivedBy, reason } = waiver
  const rows = await tx.query(insertWaiverRow, [lane, id, point, waivedBy, reason, at])
  return rows.length > 0
}
