// The second step of archiving a month: removes its rows from the table in batches, each row only if it equals its line
// in the file. The same transaction stores the progress in the seal, so a later run continues there, and two runs at
// once share the work.

import path from 'node:path'
import { recordEntry } from '#audit/record.ts'
import type { Context } from '#platform/context.ts'
import type { InLane, Tx } from '#platform/db/db.ts'
import { OperatorError } from '#platform/errors.ts'
import type { Seal } from '#platform/db/months.ts'
import { createPace } from '#ledger/table-scan.ts'
import { fileNameOf, readFile } from './file.ts'
import { type ArchiveSource, monthOf } from './source.ts'
import type { SealOptions } from './seal.ts'

export type RemoveOptions = SealOptions & { restsPerWork: number }

export async function removeMonth(
  ctx: Context,
  { noun, lane, seal }: { noun: ArchiveSource; lane: InLane; seal: Seal },
  options: RemoveOptions,
): Promise<void> {
  const { folder, tell, restsPerWork } = options
  const { until } = seal
  const month = monthOf(seal.since)
  const file = path.join(folder, fileNameOf(noun.name, lane.lane, month, seal.digest))
  await requireSealed(file, seal)
  tell(`taking ${month.name} of lane ${lane.lane} out of the table`)
  const pace = createPace(restsPerWork)
  await readFile(file, async (lines, firstRow) => {
    const last = firstRow + BigInt(lines.length)
    if (last <= seal.removed) return
    await pace(() =>
      ctx.db.transaction(async (tx) => {
        const removed = await lockRemoved(tx, noun, { until, atLeast: firstRow })
        if (last <= removed) return
        await removeExactly(tx, noun, { file, lines: lines.slice(Number(removed - firstRow)) })
        noun.noteRemoved(tx, until, last, null)
      }, lane.lane),
    )
    tell(`took out ${last} of ${seal.rows} rows`)
  })
  await ctx.db.transaction(async (tx) => {
    const known = await noun.lockSealOf(tx, until)
    if (known === undefined || known.removed < seal.rows) throw restoredMeanwhile()
    if (known.removedAt !== null) return // Another process has finished the month.
    noun.noteRemoved(tx, until, seal.rows, new Date(ctx.clock.now()))
    const details = { noun: noun.name, lane: lane.lane, month: month.name, rows: seal.rows.toString() }
    recordEntry(tx, ctx.clock.now(), { by: ctx.by, act: 'archive.removed', details })
  }, lane.lane)
}

/** Reads the whole file. Throws if it is not the sealed one. */
export async function requireSealed(file: string, { digest }: Pick<Seal, 'digest'>): Promise<void> {
  const whole = await readFile(file, () => Promise.resolve())
  if (whole.digest.equals(digest)) return
  throw new OperatorError(`${file} is not the file that was sealed. Take a copy of that from elsewhere.`)
}

/**
 * Returns how many rows are removed by now, which is more than `atLeast` if other runs removed rows. Throws if it is
 * less, because then another process is restoring the month.
 */
async function lockRemoved(
  tx: Tx,
  noun: ArchiveSource,
  { until, atLeast }: { until: Date; atLeast: bigint },
): Promise<bigint> {
  const known = await noun.lockSealOf(tx, until)
  if (known === undefined || known.removed < atLeast) throw restoredMeanwhile()
  return known.removed
}

async function removeExactly(
  tx: Tx,
  noun: ArchiveSource,
  { file, lines }: { file: string; lines: string[] },
): Promise<void> {
  const { differing } = await noun.removeLines(tx, lines)
  if (differing === null) return
  throw new OperatorError(
    `In the table, ${noun.name} differ from what ${file} says of them: ${differing.join(', ')}. They stay. Run: npx manilla ledger verify`,
  )
}

function restoredMeanwhile(): OperatorError {
  return new OperatorError('Another process is restoring this month. No more rows are removed.')
}
