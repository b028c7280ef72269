// Deletes the deliveries that are older than WEBHOOK_LOG_DAYS from the log, in small transactions. It deletes only from
// the bottom of each tenant's log, so that the numbers stay dense, because pages and totals are ranges of them.

import type { Context } from '#platform/context.ts'
import { arrayOf, statement, type InLane, type Tx, inLane } from '#platform/db/db.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { type Uuid, firstUuid } from '#platform/ids.ts'

const oldLogs = statement(
  'webhooks.old_logs',
  `select t.id, first.created_at < $3 as old
     from (select id from tenant where lane = $1 and id > $2 order by id limit $4) as t
     left join lateral (
       select created_at from webhook_delivery
        where lane = $1 and tenant_id = t.id and ordinal > 0 order by ordinal limit 1) as first on true
    order by t.id`,
)

/** Returns the next tenants of a lane; `old` is true if the oldest delivery is older than `before`. */
function findLogs(
  db: InLane,
  after: Uuid,
  { before, limit }: { before: Date; limit: number },
): Promise<{ id: Uuid; old: boolean | null }[]> {
  return db.query(oldLogs, [db.lane, after, before, limit])
}

// Finds the old deliveries from the bottom up to the first row that is kept, so that the numbers stay dense. Locks the
// rows by key, as the recording of attempts does, and waits instead of skipping: two concurrent prunes must not leave a
// gap.
const lockOld = statement(
  'webhooks.lock_old',
  `with bottom as materialized (
     select id, ordinal, created_at from webhook_delivery
      where lane = $1 and tenant_id = $2 and ordinal > 0 order by ordinal limit $4),
   kept as materialized (select min(ordinal) as first from bottom where created_at >= $3),
   old as materialized (
     select id from bottom cross join kept where kept.first is null or bottom.ordinal < kept.first order by id)
   select old.id from old cross join lateral (
     select 1 from webhook_delivery where lane = $1 and tenant_id = $2 and id = old.id limit 1 for update) as d`,
)

// Deletes in a second statement, because the locking statement does not see what was committed after it began. It would
// miss an attempt that was recorded while it waited for a lock, and also the delivery, whose ctid has changed. `offset
// 0` prevents a join by a planner without statistics.
const deleteLocked = statement(
  'webhooks.prune',
  `with attempts as materialized (
     select a.row_place from unnest($3::uuid[]) as k (id) cross join lateral (
       select ctid as row_place from webhook_attempt
        where lane = $1 and tenant_id = $2 and delivery_id = k.id offset 0) as a),
   gone as materialized (
     select d.row_place from unnest($3::uuid[]) as k (id) cross join lateral (
       select ctid as row_place from webhook_delivery where lane = $1 and tenant_id = $2 and id = k.id limit 1) as d),
   forgotten as (delete from webhook_attempt where lane = $1 and ctid = any(array(select row_place from attempts)))
   delete from webhook_delivery where lane = $1 and ctid = any(array(select row_place from gone))`,
)

export async function pruneDeliveries(
  tx: Tx,
  tenantId: Uuid,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const locked = await tx.query<{ id: Uuid }>(lockOld, [tx.lane, tenantId, before, limit])
  if (locked.length > 0) tx.send(deleteLocked, [tx.lane, tenantId, arrayOf(locked, ({ id }) => id)])
  return locked.length
}

/** Does a bounded part of the work on one lane; resolves with the number of deleted deliveries. */
export type Prune = (lane: number) => Promise<number>

const rowsPerTransaction = 1_000
const transactionsPerTurnMax = 10
const tenantsPerTurn = 500
/** The pause after a round through all tenants. */
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
      if (full) return deleted // The next turn continues with this tenant.
      round.after = id
    }
    if (logs.length < tenantsPerTurn) rounds.set(lane, { after: firstUuid, restsUntilMs: nowMs + restMs })
    return deleted
  }
}
