// The SQL that finds what is to be sent, fairly by subscription, and puts it under a lease.

import type { SubscriptionStatus } from '#events/catalogue.ts'
import type { DeliveryInHand } from '#events/dispatch.ts'
import { receiverColumns, receiverOf, type Receiver } from '#events/signature.ts'
import type { Context } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type InLane, type Statement, inLane } from '#platform/db/db.ts'
import { type Uuid, firstUuid } from '#platform/ids.ts'
import { noLease } from './retry-schedule.ts'

export type SubscriptionKey = { tenantId: Uuid; subscriptionId: Uuid }

/** A subscription with something to be done, and when the first of it is due. */
type Waiting = SubscriptionKey & { dueAt: Date; status: SubscriptionStatus }

// One step from each subscription with work to the next one in the index webhook_delivery_due (lane, tenant_id,
// subscription_id, due_at), over all that it holds: what a million waiting rows of one subscription cost here is the same as
// what one row costs. The step brings the oldest of each. $1 is the lane, $2 and $3 where to begin, $4 how many steps at most.
export const subscriptionsWithWork = `step (tenant_id, subscription_id, due_at, number) as (
     (select tenant_id, subscription_id, due_at, 1 from webhook_delivery
       where lane = $1 and due_at is not null and (tenant_id, subscription_id) > ($2, $3)
       order by lane, tenant_id, subscription_id, due_at limit 1)
     union all
     select next.tenant_id, next.subscription_id, next.due_at, step.number + 1
       from step cross join lateral (
              select tenant_id, subscription_id, due_at from webhook_delivery
               where lane = $1 and due_at is not null
                 and (tenant_id, subscription_id) > (step.tenant_id, step.subscription_id)
               order by lane, tenant_id, subscription_id, due_at limit 1) as next
      where step.number < $4)`

// 201 subscriptions, one of them with 1 000 000 rows: 1.2 ms, with statistics and without, all of it look-ups in the index.
const waitingSubscriptions = statement(
  'webhooks.waiting',
  `with recursive ${subscriptionsWithWork}
   select step.tenant_id as "tenantId", step.subscription_id as "subscriptionId", step.due_at as "dueAt", s.status
     from step left join lateral (
            select status from webhook_subscription
             where lane = $1 and tenant_id = step.tenant_id and id = step.subscription_id limit 1) as s on true
    order by step.number`,
)

/** The next ones behind `after`, in the order of their keys. */
export function findWaiting(db: InLane, after: SubscriptionKey, limit: number): Promise<Waiting[]> {
  return db.query<Waiting>(waitingSubscriptions, [db.lane, after.tenantId, after.subscriptionId, limit])
}

const inHandColumns = `d.tenant_id as "tenantId", d.id, d.event, d.reference, d.created_at as "createdAt", d.attempts,
  d.retry_requested as manual, s.data, s.trace, s.environment, ${receiverColumns}`

// What an attempt needs beside the delivery's row, each looked up by its key. $1 is the lane.
const withParts = `cross join lateral (
       select data, trace from event
        where lane = $1 and tenant_id = due.tenant_id and source_id = due.source_id and name = due.event limit 1) as e
     cross join lateral (
       select id, url, secret, old_secret, old_secret_until, failing_since from webhook_subscription
        where lane = $1 and tenant_id = due.tenant_id and id = due.subscription_id and secret is not null limit 1) as s
     cross join lateral (select environment from tenant where lane = $1 and id = due.tenant_id limit 1) as t`

type InHandRow = Omit<DeliveryInHand, 'lane' | 'receiver' | 'leaseEnd'> & Receiver

function inHandOf(row: InHandRow, lane: number, leaseEnd: Date): DeliveryInHand {
  const { tenantId, environment, id, event, reference, createdAt, data, trace, attempts, manual } = row
  const receiver = receiverOf(row)
  return {
    lane,
    tenantId,
    environment,
    id,
    receiver,
    event,
    reference,
    createdAt,
    data,
    trace,
    attempts,
    manual,
    leaseEnd,
  }
}

// `materialized`, or the sub-select runs again for every row of the update (see ARCHITECTURE.md, traps). Each
// subscription gives its oldest due rows, no more than it has room for. They are updated by an array of where they lie: as
// a join with that, the planner, which cannot tell how few they are, hashed all of the table. Beside 1 000 000 waiting rows of one
// dead subscription: 512 rows of it 19 ms, without statistics 38 ms; one each of 201 subscriptions 20 and 18 ms, nearly all
// of it for reading events that are in no cache.
const claim = (name: string, which: string): Statement =>
  statement(
    name,
    `with due as materialized (
       select d.* from unnest($2::uuid[], $3::uuid[], $4::integer[]) as k (tenant_id, subscription_id, room)
         cross join lateral (
           select ctid as row_place, id, tenant_id, subscription_id, source_id, event from webhook_delivery
            where lane = $1 and tenant_id = k.tenant_id and subscription_id = k.subscription_id and due_at <= $5 ${which}
            order by lane, tenant_id, subscription_id, due_at limit k.room
              for update skip locked) as d),
     whole as materialized (
       select due.row_place, due.id as delivery_id, e.data, e.trace, s.*, t.environment from due ${withParts}),
     held as (
       update webhook_delivery d set due_at = $6
        where d.lane = $1 and d.ctid = any(array(select row_place from whole)) returning d.*)
     select ${inHandColumns} from held as d join whole as s on s.delivery_id = d.id`,
  )

const claimDue = claim('webhooks.claim', '')
// A disabled subscription is sent only what its business asked for.
const claimRequested = claim('webhooks.claim_requested', 'and retry_requested')

type Wish = SubscriptionKey & { room: number }

export async function claimDeliveries(
  db: InLane,
  wishes: Wish[],
  { now, leaseEnd, onlyRequested }: { now: Date; leaseEnd: Date; onlyRequested: boolean },
): Promise<DeliveryInHand[]> {
  const rows = await db.query<InHandRow>(onlyRequested ? claimRequested : claimDue, [
    db.lane,
    ...arraysOf(wishes, 'tenantId', 'subscriptionId', 'room'),
    now,
    leaseEnd,
  ])
  return rows.map((row) => inHandOf(row, db.lane, leaseEnd))
}

const parkDue = statement(
  'webhooks.park',
  `with due as materialized (
     select d.* from unnest($2::uuid[], $3::uuid[], $6::boolean[]) as k (tenant_id, subscription_id, deleted)
       cross join lateral (
         select ctid as row_place from webhook_delivery
          where lane = $1 and tenant_id = k.tenant_id and subscription_id = k.subscription_id and due_at <= $4
            and (k.deleted or not retry_requested)
          order by lane, tenant_id, subscription_id, due_at limit $5
            for update skip locked) as d),
   parked as (
     update webhook_delivery d set due_at = null, next_attempt_at = null, retry_requested = false
      where d.lane = $1 and d.ctid = any(array(select row_place from due)) returning 1)
   select count(*) as count from parked`,
)

/** Deliveries of subscriptions that are not sent to rest until their business asks for them. Resolves with how many. */
export async function parkDeliveries(
  db: InLane,
  subscriptions: Waiting[],
  { now, limitEach }: { now: Date; limitEach: number },
): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(parkDue, [
    db.lane,
    ...arraysOf(subscriptions, 'tenantId', 'subscriptionId'),
    now,
    limitEach,
    arrayOf(subscriptions, (one) => one.status !== 'disabled'),
  ])
  return Number(row?.count ?? 0n)
}

const oneInHand = statement(
  'webhooks.in_hand',
  `with due as materialized (select * from webhook_delivery where lane = $1 and tenant_id = $2 and id = $3)
   select ${inHandColumns}
     from due as d cross join lateral (select e.data, e.trace, s.*, t.environment from (select d.*) as due ${withParts}) as s`,
)

/** Under no lease, for an attempt beside the schedule. Undefined: there is no such delivery, or no receiver any more. */
export async function findForAttempt(db: InLane, tenantId: Uuid, id: Uuid): Promise<DeliveryInHand | undefined> {
  const [row] = await db.query<InHandRow>(oneInHand, [db.lane, tenantId, id])
  return row === undefined ? undefined : { ...inHandOf(row, db.lane, noLease), manual: true }
}

// The loop's part: goes round among the subscriptions that have something due, claims as much for each as there is room
// for, and puts to rest what is meant for subscriptions that are not sent to.

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
