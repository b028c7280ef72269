// Pausing payouts: no new one is accepted, and none that has not left is handed to a rail. Acceptance has heard of it within
// a second (pause-watch.ts); the claim of due payments reads pauses itself (sql.ts).

import { record } from '#audit/record.ts'
import { environments as allEnvironments, type Context, type Environment } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { readPauses, readTenants, removePauses, wakeHeld, writePauses } from './sql-pauses.ts'
import { wakeInPieces } from './wake.ts'

/** Whose payouts. Undefined: of all businesses; in both environments. */
export type Whose = {
  businessId?: Uuid | undefined
  environment?: Environment | undefined
  /** Why, in the words of a person. */
  reason?: string | undefined
}

/** Pausing twice is harmless. */
export function pausePayouts(ctx: Context, whose: Whose): Promise<void> {
  const { environments, businessId } = rowsOf(whose)
  return ctx.db.transaction(async (tx) => {
    const pausedAt = new Date(ctx.clock.now())
    writePauses(tx, { environments, businessId, pausedAt, reason: whose.reason ?? null })
    await noteAct(ctx, tx, 'payouts.paused', whose)
  })
}

/**
 * Lifts just the pause that was made for the same: that of one business outlives that of all, and the other way round.
 * Then what it held back is due at once. Run again it goes on with what a crash left behind.
 */
export async function resumePayouts(ctx: Context, lanes: number[], whose: Whose): Promise<{ woken: number }> {
  const rows = rowsOf(whose)
  await ctx.db.transaction(async (tx) => {
    removePauses(tx, rows.environments, rows.businessId)
    await noteAct(ctx, tx, 'payouts.resumed', whose)
  })
  return { woken: await wakeInPieces(ctx, lanes, (lane, now, max) => wakeHeld(lane, rows, now, max)) }
}

export type Pause = { environment: Environment; businessId: Uuid | undefined; pausedAt: Date; reason: string | null }

export async function listPauses(ctx: Context): Promise<Pause[]> {
  const rows = await readPauses(ctx.db)
  return rows.map(({ businessId, ...row }) => ({ ...row, businessId: businessId ?? undefined }))
}

/** Those that hold up the payouts of one business: its own, and that of all. */
export async function pausesOf(ctx: Context, businessId: Uuid, environment: Environment): Promise<Pause[]> {
  const pauses = await listPauses(ctx)
  return pauses.filter(
    (one) => one.environment === environment && (one.businessId === undefined || one.businessId === businessId),
  )
}

async function noteAct(ctx: Context, tx: Tx, act: 'payouts.paused' | 'payouts.resumed', whose: Whose): Promise<void> {
  const { environments, businessId } = rowsOf(whose)
  const why = whose.reason === undefined ? {} : { reason: whose.reason }
  const note = (more: { tenantId?: Uuid; details: { environments?: Environment[]; reason?: string } }): void =>
    record(tx, ctx.clock.now(), { by: ctx.by, act, ...more })
  if (businessId === null) return note({ details: { environments, ...why } })
  for (const { id } of await readTenants(tx, businessId, environments)) note({ tenantId: id, details: why })
}

function rowsOf({ businessId, environment }: Whose): { environments: Environment[]; businessId: Uuid | null } {
  return {
    environments: environment === undefined ? [...allEnvironments] : [environment],
    businessId: businessId ?? null,
  }
}
