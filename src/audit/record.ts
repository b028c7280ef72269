// Writes an audit entry in the same transaction as the action, so that neither exists without the other. Entries are
// written at the end of the transaction, so that the lock of the log is held as briefly as possible. Also closes review
// items and mismatches, because each closing is an entry of the log.

import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { type AuditEntry, hashOf, type NumberedEntry } from './entry.ts'
import { type AuditEntryRow, insertEntries, lockHead } from './queries.ts'

type DatedEntry = { entry: AuditEntry; atMs: number }

const gathered = Symbol('audit entries')

export function recordEntry(tx: Tx, atMs: number, entry: AuditEntry): void {
  const entries = tx.shared(gathered, () => {
    const made: DatedEntry[] = []
    tx.lastBeforeCommit(() => writeEntries(tx, made))
    return made
  })
  entries.push({ entry, atMs })
}

async function writeEntries(tx: Tx, entries: readonly DatedEntry[]): Promise<void> {
  let { number, hash } = await lockHead(tx)
  const rows: AuditEntryRow[] = []
  for (const dated of entries) {
    number += 1n
    const numbered = numberedEntry(number, dated)
    hash = hashOf(hash, numbered)
    rows.push({ ...numbered, hash })
  }
  insertEntries(tx, rows)
}

function numberedEntry(number: bigint, { entry, atMs }: DatedEntry): NumberedEntry {
  const { by, act, tenantId = null, businessId = null, subject = null, details = {} } = entry
  const { kind: actorKind, name: actor, address = null, person } = by
  return {
    number,
    at: new Date(atMs),
    actorKind,
    actor,
    address,
    act,
    tenantId,
    subject,
    details: JSON.stringify(details),
    businessId,
    personId: person?.id ?? null,
    role: person?.role ?? null,
    device: person?.device ?? null,
    requestId: person?.requestId ?? null,
    outcome: entry.outcome ?? (person === undefined ? null : 'done'),
  }
}

// Closes a review item or a mismatch once, with the operator's note. The closing time is never before the beginning of
// the item, even if the clocks of the processes differ.

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
