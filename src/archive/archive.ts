// Months of movements leave the table for files, lane by lane, the oldest first (docs/adr/0032-months-in-files.md). May be cut
// off anywhere and run again, and may run twice at once, beside a service that is busy.

import type { Context } from '#base/context.ts'
import { inLane, type InLane } from '#base/db.ts'
import { findOldest, lanesWithRows, readSeals, type Seal } from '#ledger/archive.ts'
import { fileNameOf } from './file.ts'
import { archivableUntil, monthAfter, monthOf, type Month } from './month.ts'
import { removeMonth, type RemoveOptions } from './remove.ts'
import { sealMonth } from './seal.ts'

/** `monthsKept`: whole months before this one that stay in the table. */
export type ArchiveOptions = RemoveOptions & { monthsKept: number }

/** `file`: its name in the folder that it was written to. */
export type SealedMonth = Seal & { lane: number; month: string; file: string }

/** Returns the months that it archived, or finished archiving. */
export async function archiveMonths(ctx: Context, options: ArchiveOptions): Promise<SealedMonth[]> {
  const end = archivableUntil(new Date(ctx.clock.now()), options.monthsKept)
  const done: SealedMonth[] = []
  for await (const number of lanesWithRows(ctx.db)) {
    const lane = inLane(ctx.db, number)
    done.push(...(await finishMonths(ctx, lane, options)))
    for (let month = await nextMonth(lane); month !== undefined && month.until <= end; month = monthAfter(month)) {
      const previous = (await readSeals(lane)).at(-1)?.digest ?? null
      await sealMonth(ctx, lane, month, { ...options, previous })
      done.push(...(await finishMonths(ctx, lane, options)))
    }
  }
  return done
}

/** Every month that is sealed, lane by lane, the oldest first. */
export async function listMonths({ db }: Pick<Context, 'db'>): Promise<SealedMonth[]> {
  const months: SealedMonth[] = []
  for await (const number of lanesWithRows(db))
    months.push(...(await readSeals(inLane(db, number))).map((seal) => namedSeal(number, seal)))
  return months
}

/** Takes out what is sealed and not out yet. */
async function finishMonths(ctx: Context, lane: InLane, options: ArchiveOptions): Promise<SealedMonth[]> {
  const unfinished = (await readSeals(lane)).filter(({ removedAt }) => removedAt === null)
  for (const seal of unfinished) await removeMonth(ctx, lane, seal, options)
  return unfinished.map((seal) => namedSeal(lane.lane, seal))
}

/** Undefined: the lane has never moved anything. */
async function nextMonth(lane: InLane): Promise<Month | undefined> {
  const from = (await readSeals(lane)).at(-1)?.until ?? (await findOldest(lane))
  return from === undefined ? undefined : monthOf(from)
}

function namedSeal(lane: number, seal: Seal): SealedMonth {
  const month = monthOf(seal.since)
  return { ...seal, lane, month: month.name, file: fileNameOf(lane, month, seal.digest) }
}
