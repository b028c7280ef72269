// The loop's part: goes round among the subscriptions that have something due, claims as much for each as there is room
// for, and puts to rest what is meant for subscriptions that are not sent to.

import type { Context } from '#base/context.ts'
import { inLane, type InLane } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import type { DeliveryInHand } from '#events/handover.ts'
import { claimDeliveries, findWaiting, parkDeliveries, type SubscriptionKey, type Waiting } from './sql-claim.ts'

export type ClaimOptions = {
  ctx: Context
  leaseMs: number
  /** How many more may be held for this subscription, and in all. */
  room: (subscriptionId: Uuid) => number
  roomInAll: () => number
  take: (deliveries: DeliveryInHand[]) => void
  /** There may be more than room. Says whether to look again at once; otherwise the loop is woken when there is room. */
  leftBehind: (subscriptionId: Uuid) => boolean
}

/** Once around the subscriptions of a lane, as far as a turn goes. */
export type Claim = (lane: number) => Promise<Turn>

/** `more`: it is worth taking another turn at once. A doubtful receiver is none: it is tried a few times a second. */
export type Turn = { rows: number; more: boolean }

const subscriptionsPerLook = 500
const looksPerTurnMax = 10
const parkedPerLook = 1_000

export function createClaim(options: ClaimOptions): Claim {
  const { ctx } = options
  const cursors = new Map<number, SubscriptionKey>()
  const start = { tenantId: firstUuid, subscriptionId: firstUuid }

  return async (lane) => {
    const db = inLane(ctx.db, lane)
    const turn: Turn = { rows: 0, more: false }
    for (let look = 0; look < looksPerTurnMax && options.roomInAll() > 0; look++) {
      const waiting = await findWaiting(db, cursors.get(lane) ?? start, subscriptionsPerLook)
      const now = new Date(ctx.clock.now())
      const due = waiting.filter(({ dueAt }) => dueAt <= now)
      const served = await serve(options, db, due, now)
      turn.rows += served.rows
      turn.more ||= served.more
      const around = waiting.length < subscriptionsPerLook
      cursors.set(lane, around ? start : (waiting.at(-1) ?? start))
      if (around) return turn
    }
    return { ...turn, more: options.roomInAll() > 0 }
  }
}

async function serve(options: ClaimOptions, db: InLane, due: Waiting[], now: Date): Promise<Turn> {
  const idle = due.filter(({ status }) => status !== 'active')
  const limitEach = Math.ceil(parkedPerLook / Math.max(1, idle.length))
  const parked = idle.length === 0 ? 0 : await parkDeliveries(db, idle, { now, limitEach })
  const active = due.filter(({ status }) => status === 'active')
  const claimed = await claimFor(options, db, active, { now, onlyRequested: false })
  if (parked > 0) return { rows: parked + claimed.rows, more: true }
  // Only now, because looking for what was asked for goes past all that was not.
  const disabled = idle.filter(({ status }) => status === 'disabled')
  const requested = await claimFor(options, db, disabled, { now, onlyRequested: true })
  return { rows: claimed.rows + requested.rows, more: claimed.more || requested.more }
}

async function claimFor(
  { leaseMs, room, roomInAll, take, leftBehind }: ClaimOptions,
  db: InLane,
  due: Waiting[],
  { now, onlyRequested }: { now: Date; onlyRequested: boolean },
): Promise<Turn> {
  let left = roomInAll()
  const wishes = due.flatMap(({ tenantId, subscriptionId }) => {
    const wished = Math.min(left, room(subscriptionId))
    left -= wished
    return wished > 0 ? [{ tenantId, subscriptionId, room: wished }] : []
  })
  const leaseEnd = new Date(now.getTime() + leaseMs)
  const deliveries = wishes.length === 0 ? [] : await claimDeliveries(db, wishes, { now, leaseEnd, onlyRequested })
  take(deliveries)
  const counts = Map.groupBy(deliveries, ({ receiver }) => receiver.subscriptionId)
  const wished = new Map(wishes.map((wish) => [wish.subscriptionId, wish.room]))
  const cut = due.filter(
    ({ subscriptionId }) => (counts.get(subscriptionId)?.length ?? 0) >= (wished.get(subscriptionId) ?? 0),
  )
  const again = cut.filter(({ subscriptionId }) => leftBehind(subscriptionId))
  return { rows: deliveries.length, more: again.length > 0 }
}
