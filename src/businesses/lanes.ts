// The number of lanes over which new businesses are spread: the value of LANES, stored by the last start. A lane is a
// group of businesses whose writes share batches; its rows may be on a machine of their own. Every process reads it
// once a second, so running processes follow an increase. The id of a new business decides its lane (`draftBusiness`,
// business.ts), where it stays forever, so the number never falls below the highest lane in use. A transaction that
// changes the number or creates a business first locks the row `installation`.

import type { Context } from '#platform/context.ts'
import { statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { OperatorError, Unavailable } from '#platform/errors.ts'

type LanesRow = { lanes: number }

const laneCount = statement('businesses.lane_count', 'select lanes from installation')

export function readLaneCount(db: Queryable): Promise<number> {
  return lanesIn(db.query<LanesRow>(laneCount))
}

const lockedLaneCount = statement('businesses.lock_lane_count', 'select lanes from installation for update')

/** Until this transaction ends, no other one changes the number or relies on it. */
function lockLaneCount(tx: Tx): Promise<number> {
  return lanesIn(tx.query<LanesRow>(lockedLaneCount))
}

const sharedLaneCount = statement('businesses.share_lane_count', 'select lanes from installation for key share')

/** Until this transaction ends, no other one changes the number. */
function shareLaneCount(tx: Tx): Promise<number> {
  return lanesIn(tx.query<LanesRow>(sharedLaneCount))
}

const setLaneCount = statement('businesses.keep_lane_count', 'update installation set lanes = $1')

function keepLaneCount(tx: Tx, lanes: number): void {
  tx.send(setLaneCount, [lanes])
}

const lastLane = statement('businesses.last_lane', 'select coalesce(max(lane), 0)::int as lanes from tenant')

function readLastLaneInUse(db: Queryable): Promise<number> {
  return lanesIn(db.query<LanesRow>(lastLane))
}

async function lanesIn(answer: Promise<LanesRow[]>): Promise<number> {
  const [row] = await answer
  return row?.lanes ?? 1
}

/** `isLeast` is true if LANES is not set: then a higher stored number is kept. */
export type LanesWanted = { count: number; isLeast: boolean }

export async function laneNumbers(ctx: Pick<Context, 'db'>): Promise<number[]> {
  return Array.from({ length: await readLaneCount(ctx.db) }, (_, index) => index + 1)
}

/**
 * Runs before a process serves: stores the number of lanes, or throws an OperatorError if a business would lose its
 * lane.
 */
export async function applyLanes({ db, log }: Pick<Context, 'db' | 'log'>, wanted: LanesWanted): Promise<void> {
  const before = await readLaneCount(db)
  if (lanesAfter(wanted, before) === before) return
  const lanes = await db.transaction(async (tx) => {
    const after = lanesAfter(wanted, await lockLaneCount(tx))
    const refusal = refusalOf(after, await readLastLaneInUse(tx))
    if (refusal !== undefined) throw new OperatorError(refusal)
    keepLaneCount(tx, after)
    return after
  })
  log.info({ before, lanes }, 'changed the number of lanes')
}

type LanesVerdict = { state: 'ok' | 'failed'; message: string }

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
 * Runs in the transaction that creates a business. Until it ends, the number of lanes cannot drop below the lane of the
 * business. No process works in a lane above that number.
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
