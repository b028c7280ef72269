// Personal data is kept for a time. Then it is forgotten, a few rows at once, so that nobody waits for it: what is personal in
// an event, and who paid or was paid. Amounts, references, states and times stay, and so do the books.

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

/** A bounded piece of the work on one lane; resolves with how many rows it went through. */
export type Retain = (lane: number) => Promise<number>

/** Undefined: for ever. */
export type RetainDays = { eventDays: number | undefined; payerDays: number | undefined }

const rowsPerTransaction = 500
const transactionsPerTurnMax = 10
const tenantsPerTurn = 500
/** Between the end of one round through all lists and tenants and the next one. */
const restMs = 10 * minuteMs

/** Forgets some rows of another room, at most as many as it is told; resolves with how many there were. */
export type ForgetSome = (limit: number) => Promise<number>

type Walk = { list: RetainedList | 'notices'; days: number } | { forget: ForgetSome }

/** Where the walks of a lane stand in this process. What is forgotten already, the database knows. */
type Round = { walk: number; after: Uuid; restsUntilMs: number }

type Turn = { lane: number; nowMs: number; transactions: number; rows: number }

/** `others`: what rooms forget that know by themselves what is over. */
export function createRetain(ctx: Context, days: RetainDays, others: readonly ForgetSome[] = []): Retain {
  const walks = [...walksOf(days), ...others.map((forget) => ({ forget }))]
  const rounds = new Map<number, Round>()
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

function walksOf({ eventDays, payerDays }: RetainDays): Walk[] {
  const ofPayers = [...numberedLists, 'notices'] as const
  return [
    ...(eventDays === undefined ? [] : [{ list: 'events' as const, days: eventDays }]),
    ...(payerDays === undefined ? [] : ofPayers.map((list) => ({ list, days: payerDays }))),
  ]
}

/** Whether this list is walked to its end; the next turn goes on with it when not. */
async function goOn(ctx: Context, walk: Walk, round: Round, turn: Turn): Promise<boolean> {
  if ('forget' in walk) return untilNotFull(turn, () => walk.forget(rowsPerTransaction))
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

/** Whether there was an end before the turn had done its share. */
async function untilNotFull(turn: Turn, step: () => Promise<number>): Promise<boolean> {
  while (turn.transactions < transactionsPerTurnMax) {
    turn.transactions++
    const count = await step()
    turn.rows += count
    if (count < rowsPerTransaction) return true
  }
  return false
}

/** The next rows of one list, and how far that is, in one commit; none while another process is at it. */
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
