// Fills the finder behind the writes: a second later a payment is found by its account number, and soon after its end by the
// number that the bank gave. A row of finder_progress says how far, and moves in the transaction that adds the terms, so a
// process that dies loses nothing, and of several at once each list has one that fills it.

import type { Context } from '#base/context.ts'
import { inLane, type InLane, type Tx } from '#base/db.ts'
import { hourMs, minuteMs } from '#base/durations.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import {
  findActive,
  findBehind,
  findLastOfNext,
  followDepositsOf,
  followPaymentsOf,
  isOpenDue,
  lookAgainAtOpen,
  takeProgress,
  type List,
} from './sql-follow.ts'

/** A bounded piece of the work on one lane; resolves with how many rows it went through. */
export type Follow = (lane: number) => Promise<number>

const rowsPerTransaction = 1_000
const transactionsPerTurnMax = 20
/**
 * A turn a second: a thousand payments a second are in the finder at once. A flood of more gives way to none of this, which would
 * cost it a tenth; what is behind comes when it is over.
 */
const rowsPerTurn = 1_000
const tenantsPerTurn = 500
/** A payment that has not ended after so long is put aside, so that those behind it need not wait. */
const waitedForMs = 2 * minuteMs
const lookAgainMs = minuteMs

/** The sweep through all tenants, also those of which nothing is new: a process that died may have left something behind. */
const sweepEveryMs = hourMs

/** Where a lane stands in this process. What is in the finder already, the database knows. */
type Round = {
  /** Not walked to their end yet. */
  lists: Map<string, List>
  /** Behind which tenant the sweep goes on; undefined: it is over. */
  sweptTo: Uuid | undefined
  nextSweepMs: number
  activeSinceMs: number
}

export function createFollow(ctx: Context): Follow {
  const rounds = new Map<number, Round>()
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const db = inLane(ctx.db, lane)
    const round = rounds.get(lane) ?? {
      lists: new Map<string, List>(),
      sweptTo: firstUuid,
      nextSweepMs: nowMs + sweepEveryMs,
      activeSinceMs: nowMs,
    }
    rounds.set(lane, round)
    await gatherLists(db, round, nowMs)
    const now = new Date(nowMs)
    const open = { now, again: new Date(nowMs + lookAgainMs), limit: rowsPerTransaction }
    const isDue = await isOpenDue(db, now)
    const seen = isDue ? await ctx.db.transaction((tx) => lookAgainAtOpen(tx, open), lane) : 0
    return seen + (await followLists(ctx, lane, round.lists))
  }
}

async function gatherLists(db: InLane, round: Round, nowMs: number): Promise<void> {
  if (nowMs >= round.nextSweepMs) Object.assign(round, { sweptTo: firstUuid, nextSweepMs: nowMs + sweepEveryMs })
  // An hour more: a batch that was dated in the hour before may be committed in this one.
  const since = new Date(Math.floor(round.activeSinceMs / hourMs) * hourMs - hourMs)
  round.activeSinceMs = nowMs
  const found = await findActive(db, since)
  if (round.sweptTo !== undefined) {
    const [behind, { last, count }] = await Promise.all([
      findBehind(db, round.sweptTo, tenantsPerTurn),
      findLastOfNext(db, round.sweptTo, tenantsPerTurn),
    ])
    found.push(...behind)
    round.sweptTo = count < tenantsPerTurn ? undefined : (last ?? undefined)
  }
  for (const list of found) round.lists.set(`${list.tenantId} ${list.kind}`, list)
}

/** A step of each in turn, so that a long list does not hold up the others. */
async function followLists(ctx: Context, lane: number, lists: Round['lists']): Promise<number> {
  let rows = 0
  for (let transactions = 0; transactions < transactionsPerTurnMax && rows < rowsPerTurn; transactions++) {
    const [first] = lists
    if (first === undefined) break
    const [key, list] = first
    const count = await ctx.db.transaction((tx) => followNext(ctx, tx, list), lane)
    rows += count
    lists.delete(key)
    if (count >= rowsPerTransaction) lists.set(key, list)
  }
  return rows
}

/** The next rows of one list, in one commit; none while another process is at it. */
async function followNext({ clock }: Context, tx: Tx, list: List): Promise<number> {
  const progress = await takeProgress(tx, list)
  if (progress === undefined) return 0
  if (list.kind === 'deposit') return followDepositsOf(tx, list, progress, rowsPerTransaction)
  const nowMs = clock.now()
  const [oldBefore, lookAgainAt] = [new Date(nowMs - waitedForMs), new Date(nowMs + lookAgainMs)]
  return followPaymentsOf(tx, list, progress, { limit: rowsPerTransaction, oldBefore, lookAgainAt })
}
