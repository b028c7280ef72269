// A month comes back from its file into the table, the newest one first: the seal speaks for all before its end, so the table
// can only take over from there. Until the last row is back, it is the seal that counts.

import { recordEntry } from '#audit/record.ts'
import type { Context } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { OperatorError } from '#platform/errors.ts'
import { createPace } from '#ledger/table-scan.ts'
import { readFile, readHeader } from './file.ts'
import type { ArchiveSourceName } from './source.ts'
import { requireSealed } from './remove.ts'

export type BroughtBack = { noun: ArchiveSourceName; lane: number; month: string; rows: bigint }

export async function bringBack(
  ctx: Context,
  file: string,
  { tell, restsPerWork }: { tell: (step: string) => void; restsPerWork: number },
): Promise<BroughtBack> {
  const { noun, lane, month } = await readHeader(file)
  const seal = (await noun.readSeals(inLane(ctx.db, lane))).at(-1)
  if (seal === undefined || seal.until.getTime() !== month.until.getTime())
    throw new OperatorError(
      `${month.name} is not the newest archived month of ${noun.name} of lane ${lane}: bring back the newer ones first.`,
    )
  await requireSealed(file, seal)
  // From here on rows may be in both places, and what counts is the seal.
  await ctx.db.transaction(async (tx) => noun.noteRemoved(tx, seal.until, 0n, null), lane)
  tell(`bringing back ${month.name} of lane ${lane}`)
  const pace = createPace(restsPerWork)
  await readFile(file, (lines, firstRow) =>
    pace(async () => {
      const there = await ctx.db.transaction((tx) => noun.bringBackLines(tx, lines), lane)
      if (there !== BigInt(lines.length))
        throw new OperatorError(`Other ${noun.name} stand where rows of ${file} belong. Run: npx manilla ledger verify`)
      tell(`brought back ${firstRow + there} of ${seal.rows} rows`)
    }),
  )
  await ctx.db.transaction(async (tx) => {
    const known = await noun.lockSealOf(tx, seal.until)
    if (known === undefined || known.removed > 0n)
      throw new OperatorError('Another process is archiving this month. Retry when it has finished.')
    noun.dropSeal(tx, seal.until)
    const details = { noun: noun.name, lane, month: month.name, rows: seal.rows.toString() }
    recordEntry(tx, ctx.clock.now(), { by: ctx.by, act: 'archive.brought-back', details })
  }, lane)
  return { noun: noun.name, lane, month: month.name, rows: seal.rows }
}
