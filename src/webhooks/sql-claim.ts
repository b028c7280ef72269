// The SQL that finds what is to be sent, fairly by subscription, and puts it under a lease.

import type { Environment } from '#base/context.ts'
import { arrayOf, statement, type InLane, type Statement } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Parcel } from '#events/courier.ts'
import type { SubscriptionStatus } from './subscription.ts'

export type SubscriptionKey = { tenantId: Uuid; subscriptionId: Uuid }

/** A subscription with something to be done, and when the first of it is due. */
export type Waiting = SubscriptionKey & { dueAt: Date; status: SubscriptionStatus }

// One step from each subscription to the next one in the index, over all that it holds: what a million waiting rows of
// one subscription cost here is the same as what one row costs. 201 subscriptions, one of them with 1 000 000 rows: 1.2 ms,
// with statistics and without, all of it look-ups in the index.
const waitingSubscriptions = statement(
  'webhooks.waiting',
  `with recursive step (tenant_id, subscription_id, due_at, number) as (
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
      where step.number < $4)
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

const deliveryColumns = `d.tenant_id, d.id, d.subscription_id, d.event, d.reference, d.created_at, d.attempts,
  d.automatic_attempts, d.retry_requested, d.next_attempt_at`
const partColumns = `parts.data, parts.url, parts.secret, parts.old_secret, parts.old_secret_until, parts.failing_since,
  parts.environment`

// What a parcel holds beside its delivery, each looked up by its key. $1 is the lane.
const withParts = `cross join lateral (
       select data from event
        where lane = $1 and tenant_id = due.tenant_id and source_id = due.source_id and name = due.event limit 1) as e
     cross join lateral (
       select url, secret, old_secret, old_secret_until, failing_since from webhook_subscription
        where lane = $1 and tenant_id = due.tenant_id and id = due.subscription_id and secret is not null limit 1) as s
     cross join lateral (select environment from tenant where lane = $1 and id = due.tenant_id limit 1) as t`

type ParcelRow = {
  tenant_id: Uuid
  id: Uuid
  subscription_id: Uuid
  event: string
  reference: string
  created_at: Date
  attempts: number
  automatic_attempts: number
  retry_requested: boolean
  next_attempt_at: Date | null
  data: string
  url: string
  secret: Buffer
  old_secret: Buffer | null
  old_secret_until: Date | null
  failing_since: Date | null
  environment: Environment
}

function parcelOf(lane: number, leaseEnd: Date, row: ParcelRow): Parcel {
  return {
    lane,
    tenantId: row.tenant_id,
    environment: row.environment,
    id: row.id,
    receiver: {
      subscriptionId: row.subscription_id,
      url: row.url,
      secret: row.secret,
      oldSecret: row.old_secret,
      oldSecretUntil: row.old_secret_until,
      failing: row.failing_since !== null,
    },
    event: row.event,
    reference: row.reference,
    createdAt: row.created_at,
    data: row.data,
    attempts: row.attempts,
    automaticAttempts: row.automatic_attempts,
    manual: row.retry_requested,
    nextAttemptAt: row.next_attempt_at,
    leaseEnd,
  }
}

// `materialized`, or the sub-select runs again for every row of the update (see ARCHITECTURE.md, traps). Each
// subscription gives its oldest due rows, no more than it has room for. They are updated by an array of places: as a join
// with them, the planner, which cannot tell how few they are, hashed all of the table. Beside 1 000 000 waiting rows of one
// dead subscription: 512 rows of it 19 ms, without statistics 38 ms; one each of 201 subscriptions 20 and 18 ms, nearly all
// of it for reading events that are in no cache.
const claim = (name: string, which: string): Statement =>
  statement(
    name,
    `with due as materialized (
       select d.* from unnest($2::uuid[], $3::uuid[], $4::integer[]) as k (tenant_id, subscription_id, room)
         cross join lateral (
           select ctid as place, id, tenant_id, subscription_id, source_id, event from webhook_delivery
            where lane = $1 and tenant_id = k.tenant_id and subscription_id = k.subscription_id and due_at <= $5 ${which}
            order by lane, tenant_id, subscription_id, due_at limit k.room
              for update skip locked) as d),
     whole as materialized (
       select due.place, due.id, e.data, s.*, t.environment from due ${withParts}),
     held as (
       update webhook_delivery d set due_at = $6
        where d.lane = $1 and d.ctid = any(array(select place from whole)) returning d.*)
     select ${deliveryColumns}, ${partColumns} from held as d join whole as parts on parts.id = d.id`,
  )

const claimDue = claim('webhooks.claim', '')
// Of a disabled subscription only what somebody asked for.
const claimRequested = claim('webhooks.claim_requested', 'and retry_requested')

export type Wish = SubscriptionKey & { room: number }

export async function claimDeliveries(
  db: InLane,
  wishes: Wish[],
  { now, leaseEnd, onlyRequested }: { now: Date; leaseEnd: Date; onlyRequested: boolean },
): Promise<Parcel[]> {
  const rows = await db.query<ParcelRow>(onlyRequested ? claimRequested : claimDue, [
    db.lane,
    arrayOf(wishes, (wish) => wish.tenantId),
    arrayOf(wishes, (wish) => wish.subscriptionId),
    arrayOf(wishes, (wish) => wish.room),
    now,
    leaseEnd,
  ])
  return rows.map((row) => parcelOf(db.lane, leaseEnd, row))
}

const parkDue = statement(
  'webhooks.park',
  `with due as materialized (
     select d.* from unnest($2::uuid[], $3::uuid[], $6::boolean[]) as k (tenant_id, subscription_id, deleted)
       cross join lateral (
         select ctid as place from webhook_delivery
          where lane = $1 and tenant_id = k.tenant_id and subscription_id = k.subscription_id and due_at <= $4
            and (k.deleted or not retry_requested)
          order by lane, tenant_id, subscription_id, due_at limit $5
            for update skip locked) as d),
   parked as (
     update webhook_delivery d set due_at = null, next_attempt_at = null, retry_requested = false
      where d.lane = $1 and d.ctid = any(array(select place from due)) returning 1)
   select count(*) as count from parked`,
)

/** Of subscriptions that nobody sends to: their rows rest until somebody asks for them. Resolves with how many. */
export async function parkDeliveries(
  db: InLane,
  subscriptions: Waiting[],
  { now, limitEach }: { now: Date; limitEach: number },
): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(parkDue, [
    db.lane,
    arrayOf(subscriptions, (one) => one.tenantId),
    arrayOf(subscriptions, (one) => one.subscriptionId),
    now,
    limitEach,
    arrayOf(subscriptions, (one) => one.status !== 'disabled'),
  ])
  return Number(row?.count ?? 0n)
}

const oneParcel = statement(
  'webhooks.parcel',
  `with due as materialized (select * from webhook_delivery where lane = $1 and tenant_id = $2 and id = $3)
   select ${deliveryColumns}, ${partColumns}
     from due as d cross join lateral (select e.data, s.*, t.environment from (select d.*) as due ${withParts}) as parts`,
)

/** Under no lease: whoever sends it now does so beside the schedule. Undefined: there is none, or nobody to send it to. */
export async function findParcel(db: InLane, tenantId: Uuid, id: Uuid): Promise<Parcel | undefined> {
  const [row] = await db.query<ParcelRow>(oneParcel, [db.lane, tenantId, id])
  return row === undefined ? undefined : { ...parcelOf(db.lane, new Date(0), row), manual: true }
}
