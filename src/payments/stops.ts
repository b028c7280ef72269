// Stopping a rail: nothing that has not left is handed to it, in any process, until a person resumes it. What waits for it is
// not failed. A process that is about to send has heard of it within a second (stop-watch.ts); the claim of due payments reads
// stops itself (sql.ts).

import { record } from '#audit/record.ts'
import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { RailName } from '#rails/rail.ts'
import { readStops, removeStop, wakeStopped, writeResumption, writeStop, type StopRow } from './sql-stops.ts'
import { wakeInPieces } from './wake.ts'

/** In the transaction that learns of the reason. Stopping twice is harmless; the first reason stays. */
export async function stopRail(
  ctx: Context,
  tx: Tx,
  { environment, rail, why }: RailName & { why: string },
): Promise<void> {
  const nowMs = ctx.clock.now()
  if (!(await writeStop(tx, { environment, rail, why, stoppedAt: new Date(nowMs) }))) return
  ctx.log.error({ environment, rail, why }, 'payouts of this rail are stopped; see docs/rails/breaks.md')
  record(tx, nowMs, { by: ctx.by, act: 'rail.stopped', subject: rail, details: { environment, why } })
}

/**
 * Lifts the stop, and lets every process forget that the rail refused us. Then what it held back is due at once. Run again
 * it goes on with what a crash left behind.
 */
export async function resumeRail(
  ctx: Context,
  lanes: number[],
  name: RailName,
): Promise<{ wasStopped: boolean; woken: number }> {
  const { environment, rail } = name
  const wasStopped = await ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const lifted = await removeStop(tx, name)
    writeResumption(tx, name, new Date(nowMs))
    record(tx, nowMs, { by: ctx.by, act: 'rail.resumed', subject: rail, details: { environment, wasStopped: lifted } })
    return lifted
  })
  const woken = await wakeInPieces(ctx, lanes, (lane, now, max) => wakeStopped(lane, rail, now, max))
  return { wasStopped, woken }
}

export function listStops({ db }: Pick<Context, 'db'>): Promise<StopRow[]> {
  return readStops(db)
}
