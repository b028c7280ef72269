// The SQL of the log. A tenant's deliveries are numbered densely, and so are those of each subscription; old ones are
// pruned from the bottom. So a page and a total are ranges of numbers: they cost the same at any depth.

import type { Tenant } from '#base/context.ts'
import { arrayOf, statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Attempt, Delivery, DeliveryStatus } from './delivery.ts'

export const deliveryColumns = `d.tenant_id as "tenantId", d.id, d.subscription_id as "subscriptionId",
  d.source_id as "sourceId", d.event, d.reference, d.status, d.attempts, d.response_code as "responseCode",
  d.last_error as "lastError", d.last_attempt_at as "lastAttemptAt", d.next_attempt_at as "nextAttemptAt",
  d.delivered_at as "deliveredAt", d.created_at as "createdAt", d.updated_at as "updatedAt"`

const withUrl = (deliveries: string, order: string): string =>
  `select ${deliveryColumns}, s.url
     from (${deliveries}) as d
     cross join lateral (
       select url from webhook_subscription where lane = $1 and tenant_id = $2 and id = d.subscription_id limit 1) as s
    ${order}`

/** The numbers above `low` up to `high`. */
export type Range = { low: bigint; high: bigint }

/** Whose numbers: the tenant's, or one subscription's. */
export type Numbering = { column: 'ordinal' | 'place'; where: string }
export const ofTenant: Numbering = { column: 'ordinal', where: 'd.ordinal > 0' }
export const ofSubscription: Numbering = { column: 'place', where: 'd.subscription_id = $3 and d.place > 0' }

const mine = 'd.lane = $1 and d.tenant_id = $2'

/** The statements that exist once for each numbering. $3 is the subscription, or null. */
function statementsOf({ column, where }: Numbering) {
  const rows = `select d.${column} as number from webhook_delivery d where ${mine} and ${where}`
  const anyone = column === 'ordinal' ? 'and $3::uuid is null' : ''
  return {
    ends: statement(
      `webhooks.ends_by_${column}`,
      `select first.number as first, last.number as last
         from (${rows} ${anyone} order by d.${column} limit 1) as first
        cross join (${rows} ${anyone} order by d.${column} desc limit 1) as last`,
    ),
    // Binary search between $5 and $6: how far those made before $4 reach (search.ts says how well that is known).
    // Each step asks for the last row up to the middle, which is the middle: the order makes a planner without
    // statistics use the index.
    before: statement(
      `webhooks.before_by_${column}`,
      `with recursive search (low, high) as (
         select $5::bigint, $6::bigint
         union all
         select case when found.created_at < $4 then middle.number else s.low end,
                case when found.created_at < $4 then s.high else middle.number - 1 end
           from search s
           cross join lateral (select (s.low + s.high + 1) / 2 as number) as middle
           cross join lateral (
             select d.created_at from webhook_delivery d
              where ${mine} and ${where} ${anyone} and d.${column} <= middle.number
              order by d.${column} desc limit 1) as found
          where s.low < s.high)
       select low from search where low = high`,
    ),
  }
}

const numbered = { ordinal: statementsOf(ofTenant), place: statementsOf(ofSubscription) }

/** From before the first row to the last one. */
export async function readEnds(
  db: Queryable,
  tenant: Tenant,
  by: Numbering,
  subscriptionId: Uuid | null,
): Promise<Range> {
  const [row] = await db.query<{ first: bigint; last: bigint }>(numbered[by.column].ends, [
    tenant.lane,
    tenant.id,
    subscriptionId,
  ])
  return row === undefined ? { low: 0n, high: 0n } : { low: row.first - 1n, high: row.last }
}

export async function searchTime(
  db: Queryable,
  tenant: Tenant,
  by: Numbering,
  { subscriptionId, time, low, high }: Range & { subscriptionId: Uuid | null; time: Date },
): Promise<bigint> {
  const values = [tenant.lane, tenant.id, subscriptionId, time, low, high]
  const [row] = await db.query<{ low: bigint }>(numbered[by.column].before, values)
  return row?.low ?? low
}

/** What rows must be like. Undefined: it does not matter. */
export type Filter = {
  subscriptionId?: Uuid | undefined
  event?: string | undefined
  reference?: string | undefined
  status?: DeliveryStatus | undefined
  from?: Date | undefined
  before?: Date | undefined
}

// The planner sees the values, and with them which of these conditions are none.
const filters = `($3::uuid is null or d.subscription_id = $3) and ($4::text is null or d.event = $4)
  and ($5::text is null or d.reference = $5) and ($6::text is null or d.status = $6)
  and ($7::timestamptz is null or d.created_at >= $7) and ($8::timestamptz is null or d.created_at < $8)`

/**
 * Ways through the log. `open` and `reference` have an index of their own and cost what has that status or reference.
 * There, the range is compared together with the column before it: alone it would repeat the condition of the index of
 * all ordinals, which a planner without statistics would walk from its end.
 */
const walks = {
  ordinal: { where: 'd.ordinal > 0 and d.ordinal > $9 and d.ordinal <= $10', order: 'd.ordinal desc' },
  place: {
    where: 'd.subscription_id = $3 and d.place > 0 and d.place > $9 and d.place <= $10',
    order: 'd.place desc',
  },
  open: {
    where: `d.status in ('pending', 'failed') and d.status = $6 and (d.status, d.ordinal) > ($6, $9)
      and (d.status, d.ordinal) <= ($6, $10)`,
    order: 'd.status desc, d.ordinal desc',
  },
  reference: {
    where: `d.reference <> '' and d.reference = $5 and (d.reference, d.ordinal) > ($5, $9)
      and (d.reference, d.ordinal) <= ($5, $10)`,
    order: 'd.reference desc, d.ordinal desc',
  },
}

export type Walk = keyof typeof walks

const walking = Object.fromEntries(
  Object.entries(walks).map(([name, { where, order }]) => [
    name,
    {
      count: statement(
        `webhooks.count_by_${name}`,
        `select count(*) as total from webhook_delivery d where ${mine} and ${where} and ${filters}`,
      ),
      page: statement(
        `webhooks.page_by_${name}`,
        withUrl(
          `select * from webhook_delivery d where ${mine} and ${where} and ${filters}
            order by ${order} offset $11 limit $12`,
          `order by ${order}`,
        ),
      ),
    },
  ]),
) as Record<Walk, { count: ReturnType<typeof statement>; page: ReturnType<typeof statement> }>

function valuesOf(tenant: Tenant, filter: Filter, { low, high }: Range): unknown[] {
  const { subscriptionId = null, event = null, reference = null, status = null, from = null, before = null } = filter
  return [tenant.lane, tenant.id, subscriptionId, event, reference, status, from, before, low, high]
}

export async function countDeliveries(
  db: Queryable,
  tenant: Tenant,
  walk: Walk,
  filter: Filter,
  range: Range,
): Promise<number> {
  if (range.high <= range.low) return 0
  const [row] = await db.query<{ total: bigint }>(walking[walk].count, valuesOf(tenant, filter, range))
  return Number(row?.total ?? 0n)
}

export function readDeliveries(
  db: Queryable,
  tenant: Tenant,
  walk: Walk,
  filter: Filter,
  { low, high, offset, limit }: Range & { offset: number; limit: number },
): Promise<Delivery[]> {
  return db.query<Delivery>(walking[walk].page, [...valuesOf(tenant, filter, { low, high }), offset, limit])
}

const deliveryById = statement(
  'webhooks.delivery',
  withUrl(`select * from webhook_delivery d where ${mine} and d.id = $3 limit 1`, ''),
)

export async function findDelivery(db: Queryable, tenant: Tenant, id: Uuid): Promise<Delivery | undefined> {
  return (await db.query<Delivery>(deliveryById, [tenant.lane, tenant.id, id]))[0]
}

const eventData = statement(
  'webhooks.event_data',
  'select data from event where lane = $1 and tenant_id = $2 and source_id = $3 and name = $4',
)

/** JSON, as it was when the event was written. */
export async function readData(db: Queryable, tenant: Tenant, { sourceId, event }: Delivery): Promise<string> {
  const [row] = await db.query<{ data: string }>(eventData, [tenant.lane, tenant.id, sourceId, event])
  return row?.data ?? 'null'
}

const attemptColumns = (body: string): string => `a.delivery_id as "deliveryId", a.attempt, a.trigger,
  a.response_code as "responseCode", a.error, a.duration_ms as "durationMs", ${body} as "responseBody",
  a.created_at as "createdAt"`

const attemptsOf = (body: string): string =>
  `select ${attemptColumns(body)}
     from unnest($3::uuid[]) as k (id)
     cross join lateral (
       select * from webhook_attempt
        where lane = $1 and tenant_id = $2 and delivery_id = k.id order by attempt desc limit $4) as a
    order by a.delivery_id, a.attempt`

const attempts = statement('webhooks.attempts', attemptsOf('null::text'))
const attemptsWithBodies = statement('webhooks.attempts_with_bodies', attemptsOf('a.response_body'))

/** The latest attempts of each delivery, the first of them first. */
export async function readAttempts(
  db: Queryable,
  tenant: Tenant,
  deliveryIds: Uuid[],
  { bodies, perDeliveryMax }: { bodies: boolean; perDeliveryMax: number },
): Promise<Map<Uuid, Attempt[]>> {
  if (deliveryIds.length === 0) return new Map()
  const values = [tenant.lane, tenant.id, arrayOf(deliveryIds, (id) => id), perDeliveryMax]
  const rows = await db.query<Attempt>(bodies ? attemptsWithBodies : attempts, values)
  return Map.groupBy(rows, (row) => row.deliveryId)
}
