// `manilla audit list` and `verify`: the log of changes and refused attempts.

import { listAudit, type ListedEntry } from '#audit/list.ts'
import { verifyAudit } from '#audit/verify.ts'
import { formatId } from '#platform/ids.ts'
import { withContext } from './database.ts'
import { idOf } from './arguments.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export type ListAuditOptions = { business?: string; act?: string; since: number; limit: number }

export async function listAuditCommand(
  output: Output,
  { business, act, since, limit }: ListAuditOptions,
): Promise<void> {
  const businessId = business === undefined ? undefined : idOf('business', business)
  const entries = await withContext(readConfig(), output.step, (ctx) =>
    listAudit(ctx, { sinceMs: ctx.clock.now() - since, act, businessId, limit }),
  )
  const rows = entries.map((entry) => [
    entry.number.toString(),
    formatTime(entry.at),
    entry.act,
    entry.subject ?? '',
    entry.environment ?? '',
    entry.actor,
    entry.address ?? '',
    told(entry.details),
  ])
  const head = ['number', 'when', 'what', 'of', 'environment', 'who', 'from', 'details']
  output.result(
    { entries: entries.map(documentOf) },
    rows.length === 0 ? 'No entry of the audit log matches.' : table(head, rows),
  )
}

export async function verifyAuditCommand(output: Output, { noted }: { noted?: string }): Promise<void> {
  const { entries, hash, fault } = await withContext(readConfig(), output.step, (ctx) =>
    verifyAudit(ctx, { noted, onProgress: (checked) => output.step(`  ${checked.toLocaleString('en')} entries`) }),
  )
  const whole = `The audit log is complete: ${entries} entries. Store the hash of the last one elsewhere: ${hash}`
  const broken = `BROKEN after ${entries} entries: ${fault} Compare with a backup; see docs/runbooks/incidents.md.`
  output.result(
    { ok: fault === undefined, entries: Number(entries), hash, fault: fault ?? null },
    fault === undefined ? whole : broken,
  )
  if (fault !== undefined) process.exitCode = 1
}

function told(details: Record<string, unknown>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

function documentOf({
  number,
  at,
  actorKind,
  actor,
  address,
  businessId,
  personId,
  ...rest
}: ListedEntry): Record<string, unknown> {
  return {
    number: Number(number),
    at,
    by: { kind: actorKind, name: actor, address },
    business: businessId === null ? null : formatId('business', businessId),
    person: personId === null ? null : formatId('person', personId),
    ...rest,
  }
}
