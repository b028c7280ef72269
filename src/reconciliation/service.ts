// The reconciliation service: continuously compares providers' lists with our records.

import { finishesWithin } from '#platform/concurrency.ts'
import { environments, type Context } from '#platform/context.ts'
import { briefMessage, Unavailable } from '#platform/errors.ts'
import type { RailName } from '#rails/rail.ts'
import {
  beginningAt,
  claimCheck,
  beginChecks,
  dayAt,
  windowOfDay,
  type RailCheck,
  findCheck,
  writeDay,
} from './schedule.ts'
import { exportProofs } from './progress.ts'
import { checkLeaseMs, runCheck, type CheckMeans } from './run-check.ts'

export type Reconciliation = {
  work(): Promise<number>
  /**
   * Resolves when all runs have ended, or after a timeout; unfinished checks become due again when their leases end.
   */
  release(): Promise<void>
}

/** One pass of the loop waits this long for slow rails; their runs continue after it. */
const passMsMax = 1_000
const releaseMsMax = 20_000

export function createReconciliation(means: CheckMeans): Reconciliation {
  const { ctx, rails } = means
  const listing = environments.flatMap((environment) =>
    rails
      .namesOf(environment)
      .filter((rail) => rails.statement(environment, { rail }).kind === 'served')
      .map((rail) => ({ environment, rail })),
  )
  const begun = new Set<string>()
  const underWay = new Map<string, Promise<void>>()
  exportProofs(ctx, listing)

  async function begin(name: RailName): Promise<void> {
    if (begun.has(name.rail)) return
    const nowMs = ctx.clock.now()
    await beginChecks(ctx.db, name, { now: new Date(nowMs), beganAt: beginningAt(nowMs) })
    begun.add(name.rail)
  }

  /** One check of a rail at a time per process, so that a slow rail delays no other. */
  async function workAt(name: RailName): Promise<Promise<void>[]> {
    if (underWay.has(name.rail)) return []
    await begin(name)
    const nowMs = ctx.clock.now()
    const leaseEnd = new Date(nowMs + checkLeaseMs)
    const claimed = await claimCheck(ctx.db, name, { now: new Date(nowMs), leaseEnd })
    if (claimed === undefined) return []
    const run = runCheck(means, claimed, leaseEnd)
      .catch((error: unknown) => logFailure(ctx, name, error))
      .finally(() => underWay.delete(name.rail))
    underWay.set(name.rail, run)
    return [run]
  }

  return {
    async work() {
      const runs = (await Promise.all(listing.map(workAt))).flat()
      await finishesWithin(passMsMax, Promise.all(runs))
      return runs.length
    },
    async release() {
      await finishesWithin(releaseMsMax, Promise.all(underWay.values()))
    },
  }
}

function logFailure(ctx: Context, name: RailName, error: unknown): void {
  const what = error instanceof Unavailable ? { error: briefMessage(error) } : { err: error }
  ctx.log.warn({ ...name, ...what }, 'reconciliation failed; it is retried when its lease ends')
}

/** Undefined if the text is no calendar day, or if the day has not begun in Lagos. */
export function parseDay(unchecked: string, nowMs: number): number | undefined {
  const noonMs = Date.parse(`${unchecked}T12:00:00+01:00`)
  if (!/^\d{4}-\d\d-\d\d$/.test(unchecked) || Number.isNaN(noonMs)) return undefined
  const { fromMs, name } = dayAt(noonMs)
  return name === unchecked && fromMs < nowMs ? fromMs : undefined
}

/**
 * Requests another check of a day, which replaces an earlier request; a worker claims the row. Returns false if no
 * worker of this database has ever checked the rail.
 */
export function askForDay({ db, clock }: Context, name: RailName, fromMs: number): Promise<boolean> {
  const nowMs = clock.now()
  return writeDay(db, name, { now: new Date(nowMs), ...windowOfDay(fromMs, nowMs) })
}

/** `isBegun`: a worker has claimed the requested check of the day, or has failed at it. */
type DayState = { kind: 'done' } | { kind: 'under-way'; isBegun: boolean; why: string | null; step: RailCheck['step'] }

export async function dayState({ db, clock }: Context, name: RailName): Promise<DayState> {
  const found = await findCheck(db, name, 'day')
  if (found === undefined || found.dueAt === null) return { kind: 'done' }
  const { dueAt, why, step } = found
  return { kind: 'under-way', isBegun: why !== null || dueAt.getTime() > clock.now(), why, step }
}
