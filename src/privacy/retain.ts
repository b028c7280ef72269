// Erases personal data after its retention period, in small batches so that no request waits: the personal data in
// events, and who paid or was paid. Amounts, references, states and times stay, and so do the books.

import type { Context } from '#platform/context.ts'
import { inLane, type Tx } from '#platform/db/db.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { forgetEvents, lockNextEvents } from './events.ts'
import { forgetOldNotices } from './notices.ts'
import {
  findOld,
  forgetNumbered,
  keepProgress,
  numberedLists,
  takeProgress,
  type RetainedList,
} from './retain-queries.ts'

/** A bounded piece of work on one lane; resolves with the number of processed rows. */
export type Retain = (lane: number) => Promise<number>

/** Undefined means forever. */
export type RetainDays = { eventDays: number | undefined; payerDays: number | undefined }

const rowsPerTransaction = 500
const transactionsPerTurnMax = 10
const tenantsPerTurn = 500
/** The pause between two rounds through all lists and tenants. */
const restMs = 10 * minuteMs

/** Erases rows of another module, at most `limit`; resolves with how many there were. */
export type ForgetSome = (limit: number, lane: number) => Promise<number>

type RetentionWalk = { list: RetainedList | 'notices'; days: number } | { forget: ForgetSome }

/** The position of a lane's round in this process. What is already erased is stored in the database. */
type RetentionRound = { walk: number; after: Uuid; restsUntilMs: number }

type RetentionTurn = { lane: number; nowMs: number; transactions: number; rows: number }

/** `others` erase data of modules that know by themselves what has expired. */
export function createRetain(ctx: Context, days: RetainDays, others: readonly ForgetSome[] = []): Retain {
  const walks = [...walksOf(days), ...others.map((forget) => ({ forget }))]
  const rounds = new Map<number, RetentionRound>()
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const round = rounds.get(lane) ?? { walk: 0, after: firstUuid, restsUntilMs: 0 }
    rounds.set(lane, round)
    if (nowMs < round.restsUntilMs) return 0
    const turn = { lane, nowMs, transactions: 0, rows: 0 }
    for (let walk = walks[round.walk]; walk !== undefined; walk = walks[++round.walk]) {
      if (!(await goOn(ctx, walk, round, turn))) return turn.rows
      round.after = firstUuid
    }
    rounds.set(lane, { walk: 0, after: firstUuid, restsUntilMs: nowMs + restMs })
    return turn.rows
  }
}

function walksOf({ eventDays, payerDays }: RetainDays): RetentionWalk[] {
  const ofPayers = [...numberedLists, 'notices'] as const
  return [
    ...(eventDays === undefined ? [] : [{ list: 'events' as const, days: eventDays }]),
    ...(payerDays === undefined ? [] : ofPayers.map((list) => ({ list, days: payerDays }))),
  ]
}

/** Returns true if this list is finished; otherwise the next turn continues with it. */
async function goOn(ctx: Context, walk: RetentionWalk, round: RetentionRound, turn: RetentionTurn): Promise<boolean> {
  if ('forget' in walk) return untilNotFull(turn, () => walk.forget(rowsPerTransaction, turn.lane))
  const { list, days } = walk
  const { lane, nowMs } = turn
  const before = new Date(nowMs - days * dayMs)
  const db = inLane(ctx.db, lane)
  if (list === 'notices') return untilNotFull(turn, () => forgetOldNotices(db, before, rowsPerTransaction))
  const tenants = await findOld(db, list, round.after, { before, limit: tenantsPerTurn })
  for (const { id, old } of tenants) {
    const step = (): Promise<number> => ctx.db.transaction((tx) => forgetNext(tx, id, list, before), lane)
    if (old === true && !(await untilNotFull(turn, step))) return false
    round.after = id
  }
  return tenants.length < tenantsPerTurn
}

/** Returns true if nothing was left before the batch limit was reached. */
async function untilNotFull(turn: RetentionTurn, step: () => Promise<number>): Promise<boolean> {
  while (turn.transactions < transactionsPerTurnMax) {
    turn.transactions++
    const count = await step()
    turn.rows += count
    if (count < rowsPerTransaction) return true
  }
  return false
}

/**
 * Erases the next rows of one list and stores the progress, in one commit; returns 0 while another process does so.
 */
async function forgetNext(tx: Tx, tenantId: Uuid, list: RetainedList, before: Date): Promise<number> {
  const progress = await takeProgress(tx, tenantId, list)
  if (progress === undefined) return 0
  const limit = rowsPerTransaction
  if (list !== 'events') {
    const { through, count } = await forgetNumbered(tx, tenantId, list, { after: progress.ordinal, before, limit })
    if (count > 0) keepProgress(tx, tenantId, list, { ...progress, ordinal: through })
    return count
  }
  const events = await lockNextEvents(tx, tenantId, { after: progress, before, limit })
  forgetEvents(tx, events)
  const last = events.at(-1)
  if (last !== undefined) keepProgress(tx, tenantId, list, { ...progress, at: last.at, id: last.id })
  return events.length
}
