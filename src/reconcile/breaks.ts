// Opening and closing breaks, in the transaction that learns of them. One that may go on costing money stops its rail in the
// same commit.

import { closeOnce, type CloseOutcome, type Closing } from '#audit/closing.ts'
import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { formatId, newUuid, type Uuid } from '#base/ids.ts'
import { stopRail } from '#payments/brakes.ts'
import { stoppingKinds, type BreakFact, type Healed, type RailBreak } from './break.ts'
import { closeLocked, findBreaks, healBreaks, insertBreaks, lockBreak } from './sql-breaks.ts'
import type { RailName } from '#rails/rail.ts'

/** A fact that was opened before, and closed, is not opened again. */
export async function openBreaks(ctx: Context, tx: Tx, name: RailName, facts: BreakFact[]): Promise<void> {
  if (facts.length === 0) return
  const openedAt = new Date(ctx.clock.now())
  const rows = facts.map((fact) => ({ ...fact, ...name, id: newUuid(openedAt.getTime()), openedAt }))
  const added = await insertBreaks(tx, name, rows)
  for (const { id, kind, reference, fact } of rows) {
    if (!added.has(id)) continue
    ctx.log.error({ ...name, kind, reference, break: formatId('railBreak', id) }, `a break with a provider: ${fact}`)
    if (stoppingKinds.includes(kind)) await stopRail(ctx, tx, { ...name, why: `${kind} ${reference}: ${fact}` })
  }
}

export function healed(ctx: Context, tx: Tx, name: RailName, facts: Healed[]): void {
  if (facts.length > 0) healBreaks(tx, name, facts, new Date(ctx.clock.now()))
}

/** A page for a person; what stands behind it shows when some are closed. */
const listedMax = 500

/** What is open, oldest first; or all, newest first. */
export function listBreaks({ db }: Pick<Context, 'db'>, { open }: { open: boolean }): Promise<RailBreak[]> {
  return findBreaks(db, { open, limit: listedMax })
}

export function closeBreak(ctx: Context, id: Uuid, note: string): Promise<CloseOutcome<RailBreak>> {
  return closeOnce(ctx, breakClosing(id), note)
}

export function breakClosing(id: Uuid): Closing<RailBreak> {
  return {
    lock: (tx) => lockBreak(tx, id),
    beganAt: ({ openedAt }) => openedAt,
    write: closeLocked,
    entryOf: ({ environment, rail, kind, subject, fact }, note) => ({
      act: 'rail.break-closed',
      subject: formatId('railBreak', id),
      details: { environment, rail, kind, about: subject, fact, note },
    }),
  }
}
