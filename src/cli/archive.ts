// `manilla archive`: moves months of movements and events to files and back, and lists and verifies them. Moving runs
// as the owner of the tables, as migrations do, because the service's role cannot delete from them.

import { archiveMonths, listMonths, type SealedMonth, bringBack } from '#archive/archive.ts'
import { proveFile } from '#archive/seal.ts'
import type { ArchiveSourceName } from '#archive/source.ts'
import { withContext, withOwnerContext } from './database.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

/** The pause after each step is this many times its duration, so that a busy service is not slowed down. */
const usualRest = 1

export type BringBackOptions = { hurry?: boolean }
export type ArchiveOptions = BringBackOptions & { folder: string; keepMonths: number }

export const archiveMovementsCommand = archiveCommand('movements')
export const archiveEventsCommand = archiveCommand('events')

function archiveCommand(noun: ArchiveSourceName): (output: Output, options: ArchiveOptions) => Promise<void> {
  return (output, options) => archive(output, noun, options)
}

async function archive(
  output: Output,
  noun: ArchiveSourceName,
  { folder, keepMonths, hurry = false }: ArchiveOptions,
): Promise<void> {
  const options = { folder, monthsKept: keepMonths, restsPerWork: hurry ? 0 : usualRest, tell: output.step }
  const months = await withOwnerContext(readConfig(), output.step, (ctx) => archiveMonths(ctx, noun, options))
  const text = months.map(({ lane, month, rows }) => `Lane ${lane}: archived ${month}, ${rows} ${noun}.`)
  output.result({ archived: months.map(documentOf) }, text.join('\n') || 'There is no month to archive.')
}

export async function listArchiveCommand(output: Output): Promise<void> {
  const months = await withContext(readConfig(), output.step, listMonths)
  const rows = months.map((month) => [
    month.noun,
    String(month.lane),
    month.month,
    month.rows.toString(),
    month.removedAt === null ? `${month.removed} rows deleted` : formatTime(month.removedAt),
    month.file,
  ])
  output.result(
    { months: months.map(documentOf) },
    table(['ROWS OF', 'LANE', 'MONTH', 'ROWS', 'DELETED', 'FILE'], rows),
  )
}

export async function verifyArchiveCommand(output: Output, file: string): Promise<void> {
  const proof = await withContext(readConfig(), output.step, (ctx) => proveFile(ctx, file))
  const { noun, lane, month, rows, faults } = proof
  const ok = faults.length === 0
  const right = `${file} is unchanged: lane ${lane}, ${month}, ${rows} ${noun}.`
  const text = ok
    ? right
    : [`${file} has changed since it was sealed:`, ...faults.map((fault) => `- ${fault}`)].join('\n')
  output.result({ ok, file, noun, lane, month, rows: Number(rows), faults }, text)
  if (!ok) process.exitCode = 1
}

export async function bringBackCommand(
  output: Output,
  file: string,
  { hurry = false }: BringBackOptions,
): Promise<void> {
  const options = { restsPerWork: hurry ? 0 : usualRest, tell: output.step }
  const { noun, lane, month, rows } = await withOwnerContext(readConfig(), output.step, (ctx) =>
    bringBack(ctx, file, options),
  )
  const text = `Lane ${lane}: restored ${month}, ${rows} ${noun}. The file is no longer needed.`
  output.result({ noun, lane, month, rows: Number(rows) }, text)
}

function documentOf({ noun, lane, month, rows, file, digest, sealedAt, removedAt }: SealedMonth) {
  return { noun, lane, month, rows: Number(rows), file, digest: digest.toString('hex'), sealedAt, removedAt }
}
