// Claims due deliveries. A turn visits the subscriptions of a lane that have due rows. It leases as many rows of each
// as the scheduler can take, and parks the rows of disabled and deleted subscriptions.

import type { SubscriptionStatus } from '#events/catalogue.ts'
import type { DeliveryToSend, LeasedDelivery } from '#events/outbox.ts'
import { type Receiver, receiverColumns, receiverOf } from '#events/receiver.ts'
import type { Context } from '#platform/context.ts'
import { arrayOf, arraysOf, type InLane, inLane, statement, type Statement } from '#platform/db/db.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'

export type SubscriptionKey = { tenantId: Uuid; subscriptionId: Uuid }

/** A subscription with deliveries to send, and the time when the first one is due. */
type Waiting = SubscriptionKey & { dueAt: Date; status: SubscriptionStatus }

// Steps from each subscription with work to the next one in the index webhook_delivery_due (lane, tenant_id,
// subscription_id, due_at) and reads only the oldest row of each. So a subscription with a million waiting rows costs as
// much as one with a single row. $1 is the lane, $2 and $3 are the start, $4 is the maximum of steps.
const subscriptionsWithWork = `step (tenant_id, subscription_id, due_at, number) as (
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

// Takes 1.2 ms for 201 subscriptions, one of them with 1 000 000 rows, with and without statistics.
const waitingSubscriptions = statement(
  'webhooks.waiting',
  `with recursive ${subscriptionsWithWork}
   select step.tenant_id as "tenantId", step.subscription_id as "subscriptionId", step.due_at as "dueAt", s.status
     from step left join lateral (
            select status from webhook_subscription
             where lane = $1 and tenant_id = step.tenant_id and id = step.subscription_id limit 1) as s on true
    order by step.number`,
)

export function findWaiting(db: InLane, after: SubscriptionKey, limit: number): Promise<Waiting[]> {
  return db.query<Waiting>(waitingSubscriptions, [db.lane, after.tenantId, after.subscriptionId, limit])
}

const leasedColumns = `d.tenant_id as "tenantId", d.id, d.event, d.reference, d.created_at as "createdAt", d.attempts,
  d.retry_requested as manual, s.data, s.trace, s.environment, ${receiverColumns}`

const withParts = `cross join lateral (
       select data, trace from event
        where lane = $1 and tenant_id = due.tenant_id and source_id = due.source_id and name = due.event limit 1) as e
     cross join lateral (
       select id, url, secret, old_secret, old_secret_until, failing_since from webhook_subscription
        where lane = $1 and tenant_id = due.tenant_id and id = due.subscription_id and secret is not null limit 1) as s
     cross join lateral (select environment from tenant where lane = $1 and id = due.tenant_id limit 1) as t`

type DeliveryRow = Omit<DeliveryToSend, 'lane' | 'receiver'> & Receiver

function deliveryOf(row: DeliveryRow, lane: number): DeliveryToSend {
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
  }
}

// `materialized`, because the sub-select may run again for every row of the update (see CONTRIBUTING.md, traps). The
// update takes an array of ctids: for a join the planner cannot estimate how few they are, and it hashed the whole
// table. If one dead subscription has 1 000 000 waiting rows, claiming 512 of them takes 19 ms (38 ms without
// statistics), and claiming one row of each of 201 subscriptions takes 20 ms (18 ms), nearly all of it to read events
// that are not cached.
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
     select ${leasedColumns} from held as d join whole as s on s.delivery_id = d.id`,
  )

const claimDue = claim('webhooks.claim', '')
// A disabled subscription is sent only the retries that its business requested.
const claimRequested = claim('webhooks.claim_requested', 'and retry_requested')

type ClaimRequest = SubscriptionKey & { room: number }

export async function claimDeliveries(
  db: InLane,
  requests: ClaimRequest[],
  { now, leaseEnd, onlyRequested }: { now: Date; leaseEnd: Date; onlyRequested: boolean },
): Promise<LeasedDelivery[]> {
  const rows = await db.query<DeliveryRow>(onlyRequested ? claimRequested : claimDue, [
    db.lane,
    ...arraysOf(requests, 'tenantId', 'subscriptionId', 'room'),
    now,
    leaseEnd,
  ])
  return rows.map((row) => ({ ...deliveryOf(row, db.lane), leaseEnd }))
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

/**
 * Parks due deliveries: all of a deleted subscription, and those of a disabled one whose retry was not requested. A
 * parked delivery is due again only when its business requests a retry.
 */
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

const oneForAttempt = statement(
  'webhooks.for_attempt',
  `with due as materialized (select * from webhook_delivery where lane = $1 and tenant_id = $2 and id = $3)
   select ${leasedColumns}
     from due as d cross join lateral (select e.data, e.trace, s.*, t.environment from (select d.*) as due ${withParts}) as s`,
)

/** Undefined if the delivery does not exist or its subscription was deleted. */
export async function findForAttempt(db: InLane, tenantId: Uuid, id: Uuid): Promise<DeliveryToSend | undefined> {
  const [row] = await db.query<DeliveryRow>(oneForAttempt, [db.lane, tenantId, id])
  return row === undefined ? undefined : { ...deliveryOf(row, db.lane), manual: true }
}

export type ClaimOptions = {
  ctx: Context
  leaseMs: number
  /** The number of further deliveries that this process may lease for a subscription, and in total. */
  room: (subscriptionId: Uuid) => number
  roomInAll: () => number
  take: (deliveries: LeasedDelivery[]) => void
  /**
   * Called if more rows of a subscription may be due. Returns true to claim again at once. Otherwise the worker wakes
   * the loop when half of the queue is free.
   */
  leftBehind: (subscriptionId: Uuid) => boolean
}

export type Claim = (lane: number) => Promise<Turn>

/**
 * `more`: another turn should follow at once. The further rows of a doubtful subscription (scheduler.ts) do not cause
 * one; they wait for the usual turn, a second later.
 */
export type Turn = { rows: number; more: boolean }

const subscriptionsPerPage = 500
const pagesPerTurnMax = 10
const parkedPerPage = 1_000

export function createClaim(options: ClaimOptions): Claim {
  const { ctx } = options
  const cursors = new Map<number, SubscriptionKey>()
  const start = { tenantId: firstUuid, subscriptionId: firstUuid }

  return async (lane) => {
    const db = inLane(ctx.db, lane)
    const turn: Turn = { rows: 0, more: false }
    for (let page = 0; page < pagesPerTurnMax && options.roomInAll() > 0; page++) {
      const waiting = await findWaiting(db, cursors.get(lane) ?? start, subscriptionsPerPage)
      const now = new Date(ctx.clock.now())
      const due = waiting.filter(({ dueAt }) => dueAt <= now)
      const served = await serve(options, db, due, now)
      turn.rows += served.rows
      turn.more ||= served.more
      const around = waiting.length < subscriptionsPerPage
      cursors.set(lane, around ? start : (waiting.at(-1) ?? start))
      if (around) return turn
    }
    return { ...turn, more: options.roomInAll() > 0 }
  }
}

async function serve(options: ClaimOptions, db: InLane, due: Waiting[], now: Date): Promise<Turn> {
  const idle = due.filter(({ status }) => status !== 'active')
  const limitEach = Math.ceil(parkedPerPage / Math.max(1, idle.length))
  const parked = idle.length === 0 ? 0 : await parkDeliveries(db, idle, { now, limitEach })
  const active = due.filter(({ status }) => status === 'active')
  const claimed = await claimFor(options, db, active, { now, onlyRequested: false })
  if (parked > 0) return { rows: parked + claimed.rows, more: true }
  // Requested rows are claimed only if nothing was left to park, because their search reads past all other due rows.
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
  const requests = due.flatMap(({ tenantId, subscriptionId }) => {
    const wished = Math.min(left, room(subscriptionId))
    left -= wished
    return wished > 0 ? [{ tenantId, subscriptionId, room: wished }] : []
  })
  const leaseEnd = new Date(now.getTime() + leaseMs)
  const deliveries = requests.length === 0 ? [] : await claimDeliveries(db, requests, { now, leaseEnd, onlyRequested })
  take(deliveries)
  const counts = Map.groupBy(deliveries, ({ receiver }) => receiver.subscriptionId)
  const wished = new Map(requests.map((wish) => [wish.subscriptionId, wish.room]))
  const cut = due.filter(
    ({ subscriptionId }) => (counts.get(subscriptionId)?.length ?? 0) >= (wished.get(subscriptionId) ?? 0),
  )
  const again = cut.filter(({ subscriptionId }) => leftBehind(subscriptionId))
  return { rows: deliveries.length, more: again.length > 0 }
}

// Counts the deliveries that are due and that no worker has claimed.

// Reads only the index webhook_delivery_due, plus one look-up for each subscription, and counts at most $6 entries. It
// leaves out failing and disabled subscriptions, because their deliveries do not wait for a worker. It takes 16 ms if one
// subscription has 1 000 000 due rows.
const dueDeliveriesQuery = statement(
  'webhooks.due',
  `with recursive ${subscriptionsWithWork},
   waiting as materialized (
     select step.* from step cross join lateral (
       select 1 from webhook_subscription
        where lane = $1 and tenant_id = step.tenant_id and id = step.subscription_id
          and status = 'active' and failing_since is null limit 1) as healthy
      where step.due_at <= $5)
   select (select min(due_at) from waiting) as oldest,
          (select count(*) from (
             select 1 from waiting cross join lateral (
               select 1 from webhook_delivery
                where lane = $1 and tenant_id = waiting.tenant_id and subscription_id = waiting.subscription_id
                  and due_at <= $5
                order by lane, tenant_id, subscription_id, due_at limit $6) as each
              limit $6) as counted)::int as count`,
)

type Due = { count: number; oldest: Date | null }

export async function findDue(
  db: InLane,
  now: Date,
  { limit, subscriptionsMax }: { limit: number; subscriptionsMax: number },
): Promise<Due> {
  const [row] = await db.query<Due>(dueDeliveriesQuery, [db.lane, firstUuid, firstUuid, subscriptionsMax, now, limit])
  return row ?? { count: 0, oldest: null }
}

const countedMax = 10_000
/** Each subscription costs two index look-ups, 10 µs. */
const countedSubscriptionsMax = 1_000

export function dueDeliveries({ db, clock }: Context, lane: number): Promise<Due> {
  return findDue(inLane(db, lane), new Date(clock.now()), {
    limit: countedMax,
    subscriptionsMax: countedSubscriptionsMax,
  })
}
