// Closes a review item or a mismatch once, with the operator's note and an audit entry. The closing time is never before
// the beginning of the item, even if the clocks of the processes differ.

import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import type { AuditEntry } from './entry.ts'
import { recordEntry } from './record.ts'

export type ReviewCloseOutcome<T> = { kind: 'closed' | 'was-closed'; closed: T } | { kind: 'not-found' }

export type ClosingRules<T> = {
  lock(tx: Tx): Promise<T | undefined>
  beganAt(found: T): Date
  write(tx: Tx, found: T, closedAt: Date, note: string): void
  entryOf(found: T, note: string): Omit<AuditEntry, 'by'>
}

type ClosedState = { closedAt: Date | null; note: string | null }

export function closeOnce<T extends ClosedState>(
  ctx: Context,
  closing: ClosingRules<T>,
  note: string,
): Promise<ReviewCloseOutcome<T>> {
  return ctx.db.transaction(async (tx): Promise<ReviewCloseOutcome<T>> => {
    const found = await closing.lock(tx)
    if (found === undefined) return { kind: 'not-found' }
    if (found.closedAt !== null) return { kind: 'was-closed', closed: found }
    return { kind: 'closed', closed: closeLocked(tx, ctx, closing, { found, note }) }
  })
}

/** `found` must be open and locked. */
export function closeLocked<T extends ClosedState>(
  tx: Tx,
  { clock, by }: Pick<Context, 'clock' | 'by'>,
  { beganAt, write, entryOf }: ClosingRules<T>,
  { found, note }: { found: T; note: string },
): T {
  const closedAt = new Date(Math.max(clock.now(), beganAt(found).getTime()))
  write(tx, found, closedAt, note)
  recordEntry(tx, closedAt.getTime(), { by, ...entryOf(found, note) })
  return { ...found, closedAt, note }
}
