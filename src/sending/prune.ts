// The log is kept for a time. A few old deliveries at once, so that no caller waits for it, from the bottom of each
// tenant's log, because pages and totals are ranges of its numbers.

import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { dayMs, minuteMs } from '#base/durations.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import { findLogs, pruneDeliveries } from './sql-prune.ts'

/** A bounded piece of the work on one lane; resolves with how many deliveries are gone. */
export type Prune = (lane: number) => Promise<number>

const rowsPerTransaction = 1_000
const transactionsPerTurnMax = 10
const tenantsPerTurn = 500
/** Between the end of one round through all tenants and the next one. */
const restMs = 10 * minuteMs

type Round = { after: Uuid; restsUntilMs: number }

export function createPrune(ctx: Context, keepDays: number): Prune {
  const rounds = new Map<number, Round>()
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const round = rounds.get(lane) ?? { after: firstUuid, restsUntilMs: 0 }
    rounds.set(lane, round)
    if (nowMs < round.restsUntilMs) return 0
    const before = new Date(nowMs - keepDays * dayMs)
    const logs = await findLogs(inLane(ctx.db, lane), round.after, { before, limit: tenantsPerTurn })
    let deleted = 0
    let transactions = 0
    for (const { id, old } of logs) {
      let full = old === true
      while (full && transactions < transactionsPerTurnMax) {
        transactions++
        const limit = rowsPerTransaction
        const count = await ctx.db.transaction((tx) => pruneDeliveries(tx, id, { before, limit }), lane)
        deleted += count
        full = count === limit
      }
      if (full) return deleted // The next turn goes on with this tenant.
      round.after = id
    }
    if (logs.length < tenantsPerTurn) rounds.set(lane, { after: firstUuid, restsUntilMs: nowMs + restMs })
    return deleted
  }
}
