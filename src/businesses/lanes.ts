// Over how many lanes new businesses are spread: what LANES says, as the last start wrote it down. Every process reads it
// once a second, so a raise is obeyed by those that run already. A business stays in its lane for good; so there are never
// fewer lanes than somebody lives in.

import type { Context } from '#base/context.ts'
import type { Queryable, Tx } from '#base/db.ts'
import { OperatorError, Unavailable } from '#base/error.ts'
import { keepLaneCount, lockLaneCount, readLaneCount, readLastLaneInUse, shareLaneCount } from './sql-lanes.ts'

/** `isLeast`: nobody has said how many, so there are at least these, and more stay more. */
export type LanesWanted = { count: number; isLeast: boolean }

/** The lanes of this database, from 1. */
export async function laneNumbers(ctx: Pick<Context, 'db'>): Promise<number[]> {
  return Array.from({ length: await readLaneCount(ctx.db) }, (_, index) => index + 1)
}

/** Before a process serves: makes the lanes as many as are wanted, or throws why that cannot be. */
export async function settleLanes({ db, log }: Pick<Context, 'db' | 'log'>, wanted: LanesWanted): Promise<void> {
  const before = await readLaneCount(db)
  if (lanesAfter(wanted, before) === before) return
  const lanes = await db.transaction(async (tx) => {
    const after = lanesAfter(wanted, await lockLaneCount(tx))
    const refusal = refusalOf(after, await readLastLaneInUse(tx))
    if (refusal !== undefined) throw new OperatorError(refusal)
    keepLaneCount(tx, after)
    return after
  })
  log.info({ before, lanes }, 'the number of lanes was changed')
}

export type LanesVerdict = { state: 'ok' | 'failed'; message: string }

/** The same for the doctor, who changes nothing. */
export async function judgeLanes(db: Queryable, wanted: LanesWanted): Promise<LanesVerdict> {
  const [now, last] = [await readLaneCount(db), await readLastLaneInUse(db)]
  const after = lanesAfter(wanted, now)
  const refusal = refusalOf(after, last)
  if (refusal !== undefined) return { state: 'failed', message: refusal.replace(/\.$/, '') }
  const inUse = last === 0 ? 'no business yet' : `businesses up to lane ${last}`
  const next = after === now ? '' : `; the next start makes them ${after}`
  return { state: 'ok', message: `${now}, ${inUse}${next}` }
}

/**
 * In the transaction that makes a business: until it ends, nobody makes the lanes fewer than the one that was drawn for it,
 * where no process would work.
 */
export async function requireLane(tx: Tx, lane: number): Promise<void> {
  if (lane > (await shareLaneCount(tx))) throw new Unavailable('The number of lanes was changed just now.')
}

function lanesAfter({ count, isLeast }: LanesWanted, now: number): number {
  return isLeast ? Math.max(count, now) : count
}

function refusalOf(after: number, last: number): string | undefined {
  if (after >= last) return undefined
  return `LANES is ${after}, and businesses live in lanes up to ${last}, which they never leave: set LANES to ${last} or more.`
}
