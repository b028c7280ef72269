// The reconciliation room, as its doors see it: what providers list is held against what we have, around the clock.

import { within } from '#platform/clock.ts'
import { environments, type Context } from '#platform/context.ts'
import { brief, Unavailable } from '#platform/errors.ts'
import type { RailName } from '#rails/rail.ts'
import { beginningAt, claimCheck, beginChecks, dayAt, windowOfDay, type Check, findCheck, writeDay } from './check.ts'
import { exportProofs } from './progress.ts'
import { checkLeaseMs, takeTurn, type TurnMeans } from './run.ts'

export type Reconciliation = {
  /** Takes up what is due at all rails; resolves with how much there was. */
  work(): Promise<number>
  /** Resolves when nothing is in hand any more, or after a while: what is left is due again when its lease ends. */
  release(): Promise<void>
}

/** A turn of the loop waits this long for slow rails; they go on after that. */
const turnMsMax = 1_000
const releaseMsMax = 20_000

export function createReconciliation(means: TurnMeans): Reconciliation {
  const { ctx, rails } = means
  const listing = environments.flatMap((environment) =>
    rails
      .namesOf(environment)
      .filter((rail) => rails.statement(environment, { rail }).kind === 'served')
      .map((rail) => ({ environment, rail })),
  )
  const begun = new Set<string>()
  const inHand = new Map<string, Promise<void>>()
  exportProofs(ctx, listing)

  async function begin(name: RailName): Promise<void> {
    if (begun.has(name.rail)) return
    const nowMs = ctx.clock.now()
    await beginChecks(ctx.db, name, { now: new Date(nowMs), beganAt: beginningAt(nowMs) })
    begun.add(name.rail)
  }

  /** One check of a rail at a time in one process, so that a slow rail holds up no other. */
  async function workAt(name: RailName): Promise<Promise<void>[]> {
    if (inHand.has(name.rail)) return []
    await begin(name)
    const nowMs = ctx.clock.now()
    const leaseEnd = new Date(nowMs + checkLeaseMs)
    const claimed = await claimCheck(ctx.db, name, { now: new Date(nowMs), leaseEnd })
    if (claimed === undefined) return []
    const turn = takeTurn(means, claimed, leaseEnd)
      .catch((error: unknown) => tell(ctx, name, error))
      .finally(() => inHand.delete(name.rail))
    inHand.set(name.rail, turn)
    return [turn]
  }

  return {
    async work() {
      const turns = (await Promise.all(listing.map(workAt))).flat()
      await within(turnMsMax, Promise.all(turns))
      return turns.length
    },
    async release() {
      await within(releaseMsMax, Promise.all(inHand.values()))
    },
  }
}

/** What failed is due again when its lease ends. */
function tell(ctx: Context, name: RailName, error: unknown): void {
  const what = error instanceof Unavailable ? { error: brief(error) } : { err: error }
  ctx.log.warn({ ...name, ...what }, 'a reconciliation could not do its turn; it is taken up again when its lease ends')
}

// A day that a person wants to be held against ours once more. The row is the job: a worker takes it up.

/** Undefined: it is no day of the calendar, or has not begun in Lagos. */
export function parseDay(unchecked: string, nowMs: number): number | undefined {
  const noonMs = Date.parse(`${unchecked}T12:00:00+01:00`)
  if (!/^\d{4}-\d\d-\d\d$/.test(unchecked) || Number.isNaN(noonMs)) return undefined
  const { fromMs, name } = dayAt(noonMs)
  return name === unchecked && fromMs < nowMs ? fromMs : undefined
}

/** False: no worker of this database has ever looked after the rail. What is asked for now replaces what was asked before. */
export function askForDay({ db, clock }: Context, name: RailName, fromMs: number): Promise<boolean> {
  const nowMs = clock.now()
  return writeDay(db, name, { now: new Date(nowMs), ...windowOfDay(fromMs, nowMs) })
}

/** `isBegun`: a worker has taken it up, or has failed to. */
type DayState = { kind: 'done' } | { kind: 'under-way'; isBegun: boolean; why: string | null; step: Check['step'] }

export async function dayState({ db, clock }: Context, name: RailName): Promise<DayState> {
  const found = await findCheck(db, name, 'day')
  if (found === undefined || found.dueAt === null) return { kind: 'done' }
  const { dueAt, why, step } = found
  return { kind: 'under-way', isBegun: why !== null || dueAt.getTime() > clock.now(), why, step }
}
