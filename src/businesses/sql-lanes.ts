// The SQL of how many lanes there are. The row of the installation is locked before anything else that a transaction locks.

import { statement, type Queryable, type Tx } from '#base/db.ts'

type Row = { lanes: number }

const laneCount = statement('businesses.lane_count', 'select lanes from installation')

export function readLaneCount(db: Queryable): Promise<number> {
  return lanesIn(db.query<Row>(laneCount))
}

const lockedLaneCount = statement('businesses.lock_lane_count', 'select lanes from installation for update')

/** Until the end of this transaction no other one changes it, and none relies on it. */
export function lockLaneCount(tx: Tx): Promise<number> {
  return lanesIn(tx.query<Row>(lockedLaneCount))
}

const sharedLaneCount = statement('businesses.share_lane_count', 'select lanes from installation for key share')

/** Until the end of this transaction no other one changes it. */
export function shareLaneCount(tx: Tx): Promise<number> {
  return lanesIn(tx.query<Row>(sharedLaneCount))
}

const setLaneCount = statement('businesses.keep_lane_count', 'update installation set lanes = $1')

export function keepLaneCount(tx: Tx, lanes: number): void {
  tx.send(setLaneCount, [lanes])
}

const lastLane = statement('businesses.last_lane', 'select coalesce(max(lane), 0)::int as lanes from tenant')

/** 0: there is no business. */
export function readLastLaneInUse(db: Queryable): Promise<number> {
  return lanesIn(db.query<Row>(lastLane))
}

async function lanesIn(answer: Promise<Row[]>): Promise<number> {
  const [row] = await answer
  return row?.lanes ?? 1
}
