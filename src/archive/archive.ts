// Archives months of movements or events from their table into files, lane by lane, the oldest first
// (docs/adr/0032-months-in-files.md). It may be interrupted anywhere and run again, and may run twice at once, while
// the service is busy.

import type { Context } from '#platform/context.ts'
import { inLane, type InLane } from '#platform/db/db.ts'
import type { Seal } from '#platform/db/months.ts'
import { lanesWithRows } from '#ledger/archive.ts'
import { fileNameOf } from './file.ts'
import {
  archivableUntil,
  type ArchiveSource,
  type ArchiveSourceName,
  type Month,
  monthAfter,
  monthOf,
} from './source.ts'
import { nouns } from './sources.ts'
import { removeMonth, type RemoveOptions } from './remove.ts'
import { sealMonth } from './seal.ts'

/** `monthsKept` is the number of whole months before the current one that stay in the table. */
export type ArchiveOptions = RemoveOptions & { monthsKept: number }

/** `file` is its name in the archive folder. */
export type SealedMonth = Seal & { noun: ArchiveSourceName; lane: number; month: string; file: string }

/** Returns the months that it archived or finished archiving. */
export async function archiveMonths(
  ctx: Context,
  name: ArchiveSourceName,
  options: ArchiveOptions,
): Promise<SealedMonth[]> {
  const noun = nouns[name]
  const end = archivableUntil(new Date(ctx.clock.now()), options.monthsKept)
  const done: SealedMonth[] = []
  for await (const number of lanesWithRows(ctx.db)) {
    const lane = inLane(ctx.db, number)
    done.push(...(await finishMonths(ctx, noun, lane, options)))
    for (
      let month = await nextMonth(noun, lane);
      month !== undefined && month.until <= end;
      month = monthAfter(month)
    ) {
      const wait = await noun.notYet(lane, month)
      if (wait !== undefined) {
        options.tell(wait)
        break
      }
      const previous = (await noun.readSeals(lane)).at(-1)?.digest ?? null
      await sealMonth(ctx, { noun, lane, month }, { ...options, previous })
      done.push(...(await finishMonths(ctx, noun, lane, options)))
    }
  }
  return done
}

/** All sealed months, lane by lane, the oldest first. */
export async function listMonths({ db }: Pick<Context, 'db'>): Promise<SealedMonth[]> {
  const months: SealedMonth[] = []
  for await (const number of lanesWithRows(db))
    for (const noun of Object.values(nouns))
      months.push(...(await noun.readSeals(inLane(db, number))).map((seal) => namedSeal(noun, number, seal)))
  return months
}

/** Removes the rows of sealed months that are still in the table. */
async function finishMonths(
  ctx: Context,
  noun: ArchiveSource,
  lane: InLane,
  options: ArchiveOptions,
): Promise<SealedMonth[]> {
  const unfinished = (await noun.readSeals(lane)).filter(({ removedAt }) => removedAt === null)
  for (const seal of unfinished) await removeMonth(ctx, { noun, lane, seal }, options)
  return unfinished.map((seal) => namedSeal(noun, lane.lane, seal))
}

/** Returns undefined if the lane has never had any rows. */
async function nextMonth(noun: ArchiveSource, lane: InLane): Promise<Month | undefined> {
  const from = (await noun.readSeals(lane)).at(-1)?.until ?? (await noun.findOldest(lane))
  return from === undefined ? undefined : monthOf(from)
}

function namedSeal({ name }: ArchiveSource, lane: number, seal: Seal): SealedMonth {
  const month = monthOf(seal.since)
  return { ...seal, noun: name, lane, month: month.name, file: fileNameOf(name, lane, month, seal.digest) }
}
