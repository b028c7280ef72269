// Reads the audit log, newest entries first.

import type { Context, Environment } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { findNumberBefore, listLatestEntries, type ListedRow } from './queries.ts'

export type ListedEntry = {
  number: bigint
  at: Date
  actorKind: string
  actor: string
  address: string | null
  act: string
  businessId: Uuid | null
  environment: Environment | null
  subject: string | null
  details: Record<string, unknown>
  /** These fields are set only for actions of a dashboard user. */
  personId: Uuid | null
  role: string | null
  device: string | null
  requestId: string | null
  outcome: string | null
}

export type AuditQuery = { sinceMs: number; act?: string | undefined; businessId?: Uuid | undefined; limit: number }

/** Entries may be out of order by at most the duration of a transaction. */
const outOfOrderMsMax = hourMs

export async function listAudit(
  { db }: Context,
  { sinceMs, act, businessId, limit }: AuditQuery,
): Promise<ListedEntry[]> {
  const after = await findNumberBefore(db, new Date(sinceMs - outOfOrderMsMax))
  const rows = await listLatestEntries(db, { after, since: new Date(sinceMs), act: act ?? null, businessId, limit })
  return rows.map(listedOf)
}

function listedOf({
  hash: _hash,
  tenantId: _tenant,
  details,
  environment,
  ofBusiness,
  ...rest
}: ListedRow): ListedEntry {
  return {
    ...rest,
    businessId: ofBusiness,
    environment: environment as Environment | null,
    details: JSON.parse(details) as Record<string, unknown>,
  }
}
