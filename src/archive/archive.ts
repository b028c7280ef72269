// Archives months of movements or events: moves them from their table into files, lane by lane, the oldest first
// (docs/adr/0032-months-in-files.md). A month may go when 13 complete months follow it, or as many as the operator asks
// for (source.ts). A month of events also waits for its deliveries and its personal data to be deleted (events.ts). A row
// leaves the table only if it equals its line in the sealed file (remove.ts). Payments and deposits stay in their tables.
//
// An interrupted run can be repeated, and two processes may archive at once, while the service is busy. Also restores a
// month from its file, and exports to Prometheus how far the archive goes.

import type { Context } from '#platform/context.ts'
import { inLane, type InLane, type Tx } from '#platform/db/db.ts'
import type { Seal } from '#platform/db/months.ts'
import { lanesWithRows } from '#ledger/archive.ts'
import { hourMs } from '#platform/durations.ts'
import { refreshAtScrape } from '#platform/observability/metrics.ts'
import { recordEntry } from '#audit/record.ts'
import { OperatorError } from '#platform/errors.ts'
import { createPace } from '#ledger/table-scan.ts'
import { fileNameOf, archiveSources, readFile, readHeader } from './file.ts'
import { archivableUntil, type ArchiveSource, type ArchiveSourceName, type Month, monthOf } from './source.ts'
import { removeMonth, type RemoveOptions, requireSealed } from './remove.ts'
import { sealMonth } from './seal.ts'

/** `monthsKept` is the number of whole months before the current one that stay in the table. */
type ArchiveMonthsOptions = RemoveOptions & { monthsKept: number }

/** `file` is the path within the archive folder. */
export type SealedMonth = Seal & { noun: ArchiveSourceName; lane: number; month: string; file: string }

export async function archiveMonths(
  ctx: Context,
  name: ArchiveSourceName,
  options: ArchiveMonthsOptions,
): Promise<SealedMonth[]> {
  const noun = archiveSources[name]
  const end = archivableUntil(new Date(ctx.clock.now()), options.monthsKept)
  const done: SealedMonth[] = []
  for await (const number of lanesWithRows(ctx.db)) {
    const lane = inLane(ctx.db, number)
    done.push(...(await finishMonths(ctx, noun, lane, options)))
    for (;;) {
      const next = await nextMonth(noun, lane)
      if (next === undefined || next.month.until > end) break
      const wait = await noun.notYet(lane, next.month)
      if (wait !== undefined) {
        options.tell(wait)
        break
      }
      await sealMonth(ctx, { noun, lane, month: next.month }, { ...options, previous: next.previous })
      done.push(...(await finishMonths(ctx, noun, lane, options)))
    }
  }
  return done
}

export async function listMonths({ db }: Pick<Context, 'db'>): Promise<SealedMonth[]> {
  const months: SealedMonth[] = []
  for await (const number of lanesWithRows(db))
    for (const noun of Object.values(archiveSources))
      months.push(...(await noun.readSeals(inLane(db, number))).map((seal) => namedSeal(noun, number, seal)))
  return months
}

async function finishMonths(
  ctx: Context,
  noun: ArchiveSource,
  lane: InLane,
  options: ArchiveMonthsOptions,
): Promise<SealedMonth[]> {
  const unfinished = (await noun.readSeals(lane)).filter(({ removedAt }) => removedAt === null)
  for (const seal of unfinished) await removeMonth(ctx, { noun, lane, seal }, options)
  return unfinished.map((seal) => namedSeal(noun, lane.lane, seal))
}

/** Returns undefined if the lane has no sealed month and no rows. `previous` is the digest of the last sealed month. */
async function nextMonth(
  noun: ArchiveSource,
  lane: InLane,
): Promise<{ month: Month; previous: Buffer | null } | undefined> {
  // Reads the oldest row before the seals. In the other order, another process could seal that month and remove its
  // rows in between, and this process would begin with a later month.
  const oldest = await noun.findOldest(lane)
  const last = (await noun.readSeals(lane)).at(-1)
  const from = last?.until ?? oldest
  return from === undefined ? undefined : { month: monthOf(from), previous: last?.digest ?? null }
}

function namedSeal({ name }: ArchiveSource, lane: number, seal: Seal): SealedMonth {
  const month = monthOf(seal.since)
  return { ...seal, noun: name, lane, month: month.name, file: fileNameOf(name, lane, month, seal.digest) }
}

export function exportArchive(ctx: Context, laneNumbers: () => Promise<number[]>): void {
  const { archivedUntil, archiveRowsLeft, archiveOldest } = ctx.metrics
  const oldestIn = rememberOldest(ctx)
  async function measure(): Promise<void> {
    const lanes = (await laneNumbers()).map((number) => inLane(ctx.db, number))
    for (const noun of Object.values(archiveSources)) {
      let [sealedMs, oldestMs, left] = [Infinity, Infinity, 0n]
      // The lanes are read one after the other, so that a scrape does not use up the connections that requests need.
      for (const lane of lanes) {
        const seals = await noun.readSeals(lane)
        const oldest = await oldestIn(noun, lane, seals)
        if (oldest === undefined) continue
        oldestMs = Math.min(oldestMs, oldest)
        sealedMs = Math.min(sealedMs, seals.at(-1)?.until.getTime() ?? 0)
        left += seals.reduce(
          (sum, { rows, removed, removedAt }) => sum + (removedAt === null ? rows - removed : 0n),
          0n,
        )
      }
      archiveRowsLeft.set({ rows: noun.name }, Number(left))
      if (oldestMs === Infinity) continue
      archivedUntil.set({ rows: noun.name }, sealedMs / 1_000)
      archiveOldest.set({ rows: noun.name }, oldestMs / 1_000)
    }
  }
  refreshAtScrape(ctx, measure, () => {
    for (const gauge of [archivedUntil, archiveRowsLeft, archiveOldest]) gauge.reset()
  })
}

/**
 * Returns the end of the last sealed month or, without one, the time of the oldest row. The query for the oldest row
 * covers all tenants, so its result is cached for an hour.
 */
function rememberOldest({
  clock,
}: Context): (noun: ArchiveSource, lane: InLane, seals: Seal[]) => Promise<number | undefined> {
  const known = new Map<string, { untilMs: number; at: number | undefined }>()
  return async (noun, lane, seals) => {
    const sealed = seals.at(-1)
    if (sealed !== undefined) return sealed.until.getTime()
    const key = `${noun.name} ${lane.lane}`
    const found = known.get(key)
    if (found !== undefined && clock.now() < found.untilMs) return found.at
    const at = (await noun.findOldest(lane))?.getTime()
    known.set(key, { untilMs: clock.now() + hourMs, at })
    return at
  }
}

// Restores a month from its file into the table. Only the newest archived month can be restored, because every row
// dated before the end of a seal counts as archived.

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
  // From here on, rows may be both in the file and in the table. The sums of the seal stay valid until it is dropped.
  await ctx.db.transaction(async (tx) => noun.noteRemoved(tx, seal.until, 0n, null), lane)
  tell(`bringing back ${month.name} of lane ${lane}`)
  const pace = createPace(restsPerWork)
  await readFile(file, (lines, firstRow) =>
    pace(async () => {
      const there = await ctx.db.transaction(async (tx) => {
        await lockRestored(tx, noun, seal.until)
        return noun.bringBackLines(tx, lines)
      }, lane)
      if (there !== BigInt(lines.length))
        throw new OperatorError(`Other ${noun.name} stand where rows of ${file} belong. Run: npx manilla ledger verify`)
      tell(`brought back ${firstRow + there} of ${seal.rows} rows`)
    }),
  )
  await ctx.db.transaction(async (tx) => {
    await lockRestored(tx, noun, seal.until)
    const newest = (await noun.readSeals(tx)).at(-1)
    if (newest?.until.getTime() !== seal.until.getTime()) throw archivedMeanwhile()
    noun.dropSeal(tx, seal.until)
    const details = { noun: noun.name, lane, month: month.name, rows: seal.rows.toString() }
    recordEntry(tx, ctx.clock.now(), { by: ctx.by, act: 'archive.brought-back', details })
  }, lane)
  return { noun: noun.name, lane, month: month.name, rows: seal.rows }
}

/** Throws if another process has archived the month again or finished restoring it. */
async function lockRestored(tx: Tx, noun: ArchiveSource, until: Date): Promise<void> {
  const known = await noun.lockSealOf(tx, until)
  if (known === undefined) throw new OperatorError('Another process has restored this month.')
  if (known.removed > 0n) throw archivedMeanwhile()
}

function archivedMeanwhile(): OperatorError {
  return new OperatorError('Another process is archiving this month. Retry when it has finished.')
}
