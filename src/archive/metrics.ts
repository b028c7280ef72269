// Metrics of archiving, updated when Prometheus scrapes, in every process with the api role.

import type { Context } from '#platform/context.ts'
import { inLane, type InLane } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import type { Seal } from '#platform/db/months.ts'
import { lookAtScrape } from '#platform/observability/scrape.ts'
import type { ArchiveSource } from './source.ts'
import { nouns } from './sources.ts'

export function exportArchive(ctx: Context, laneNumbers: () => Promise<number[]>): void {
  const { archivedUntil, archiveRowsLeft, archiveOldest } = ctx.metrics
  const oldestIn = rememberOldest(ctx)
  async function look(): Promise<void> {
    const lanes = (await laneNumbers()).map((number) => inLane(ctx.db, number))
    for (const noun of Object.values(nouns)) {
      let [sealedMs, oldestMs, left] = [Infinity, Infinity, 0n]
      // One after the other, so that it does not use up the connections that requests need.
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
  lookAtScrape(ctx, look, () => {
    for (const gauge of [archivedUntil, archiveRowsLeft, archiveOldest]) gauge.reset()
  })
}

/** If no month is sealed, the query for the oldest row covers all tenants, so its result is cached for an hour. */
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
