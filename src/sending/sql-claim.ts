// The SQL that finds what is to be sent, fairly by subscription, and puts it under a lease.

import { arrayOf, arraysOf, statement, type InLane, type Statement } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { DeliveryInHand } from '#events/handover.ts'
import { receiverColumns, receiverOf, type Receiver } from '#events/receiver.ts'
import type { SubscriptionStatus } from '#events/states.ts'
import { noLease } from './lease.ts'

export type SubscriptionKey = { tenantId: Uuid; subscriptionId: Uuid }

/** A subscription with something to be done, and when the first of it is due. */
export type Waiting = SubscriptionKey & { dueAt: Date; status: SubscriptionStatus }

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

export type Wish = SubscriptionKey & { room: number }

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
