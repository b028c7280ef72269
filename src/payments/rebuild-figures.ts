// Figures, counted anew from the payments and deposits of a tenant: after a migration that brought them, or after somebody
// has tampered with them.

import type { Context, Tenant } from '#base/context.ts'
import { hourMs } from '#base/durations.ts'
import { countAnew } from './sql-figures.ts'

export type Rebuilt = {
  /** The hours before it were counted anew. */
  before: Date
  /** How many rows of figures they are. */
  rows: number
}

/**
 * Nobody waits for it: what is dated two hours ago was committed long ago, so it counts in no batch any more. The hour that
 * goes on and the one before it are left as they were counted.
 */
export async function rebuildFigures({ db, clock }: Context, tenant: Tenant): Promise<Rebuilt> {
  const before = new Date(Math.floor(clock.now() / hourMs) * hourMs - hourMs)
  const rows = await db.transaction((tx) => countAnew(tx, tenant.id, before), tenant.lane)
  return { before, rows }
}
