// Writes an audit entry in the same transaction as the action, so that neither exists without the other. Entries are
// written at the end of the transaction, so that the lock of the log is held as briefly as possible. Each entry has the
// hash of the one before it (`hashOf`, entry.ts).

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
