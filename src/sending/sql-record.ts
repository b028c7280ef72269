// The SQL that writes what attempts led to.

import { arrayOf, arraysOf, statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { lookUp } from '#base/look-up.ts'
import type { Attempt } from '#events/attempt.ts'
import type { Standing } from './after-attempt.ts'
import type { Health } from './health.ts'
import type { SubscriptionKey } from './sql-claim.ts'

export type DeliveryKey = { tenantId: Uuid; id: Uuid }
export type Locked = DeliveryKey & { standing: Standing }

const standingColumns = `d.tenant_id as "tenantId", d.id, d.status, d.attempts, d.automatic_attempts as "automaticAttempts",
  d.response_code as "responseCode", d.last_error as "lastError", d.last_attempt_at as "lastAttemptAt",
  d.next_attempt_at as "nextAttemptAt", d.retry_requested as "retryRequested", d.delivered_at as "deliveredAt",
  d.updated_at as "updatedAt", d.due_at as "dueAt"`

// In one order, so that no two wait for each other.
const lockRows = statement(
  'webhooks.lock_for_record',
  lookUp({
    table: 'webhook_delivery',
    row: 'd',
    columns: standingColumns,
    key: { tenant_id: 'uuid', id: 'uuid' },
    lock: true,
  }),
)

export async function lockDeliveries(tx: Tx, keys: DeliveryKey[]): Promise<Locked[]> {
  const ordered = keys.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  const rows = await tx.query<DeliveryKey & Standing>(lockRows, [tx.lane, ...arraysOf(ordered, 'tenantId', 'id')])
  return rows.map(({ tenantId, id, ...standing }) => ({ tenantId, id, standing }))
}

// Where they lie, because they are locked.
const updateRows = statement(
  'webhooks.record_deliveries',
  `with v as materialized (
     select d.ctid as row_place, k.*
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::integer[], $7::smallint[], $8::text[],
         $9::timestamptz[], $10::timestamptz[], $11::boolean[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[])
         as k (tenant_id, id, status, attempts, automatic_attempts, response_code, last_error, last_attempt_at,
           next_attempt_at, retry_requested, delivered_at, updated_at, due_at)
       cross join lateral (
         select ctid from webhook_delivery where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as d)
   update webhook_delivery d
      set status = v.status, attempts = v.attempts, automatic_attempts = v.automatic_attempts,
          response_code = v.response_code, last_error = v.last_error, last_attempt_at = v.last_attempt_at,
          next_attempt_at = v.next_attempt_at, retry_requested = v.retry_requested, delivered_at = v.delivered_at,
          updated_at = v.updated_at, due_at = v.due_at
     from v where d.lane is not distinct from $1 and d.ctid = v.row_place`,
)

export function updateDeliveries(tx: Tx, rows: Locked[]): void {
  const standings = rows.map(({ standing }) => standing)
  tx.send(updateRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'id'),
    ...arraysOf(standings, 'status', 'attempts', 'automaticAttempts', 'responseCode', 'lastError', 'lastAttemptAt'),
    ...arraysOf(standings, 'nextAttemptAt', 'retryRequested', 'deliveredAt', 'updatedAt', 'dueAt'),
  ])
}

export type AttemptRow = Attempt & { tenantId: Uuid }

const insertRows = statement(
  'webhooks.insert_attempts',
  `insert into webhook_attempt
     (lane, tenant_id, delivery_id, attempt, trigger, response_code, error, duration_ms, response_body, created_at)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::text[], $6::smallint[], $7::text[],
     $8::integer[], $9::text[], $10::timestamptz[]) as v`,
)

export function insertAttempts(tx: Tx, rows: AttemptRow[]): void {
  tx.send(insertRows, [
    tx.lane,
    ...arraysOf(rows, 'tenantId', 'deliveryId', 'attempt', 'trigger', 'responseCode'),
    ...arraysOf(rows, 'error', 'durationMs', 'responseBody', 'createdAt'),
  ])
}

const healthOf = statement(
  'webhooks.health',
  `select k.tenant_id as "tenantId", k.id as "subscriptionId", s.status, s.failing_since as "failingSince",
          s.disabled_because as "disabledBecause"
     from unnest($2::uuid[], $3::uuid[]) as k (tenant_id, id)
     cross join lateral (
       select status, failing_since, disabled_because from webhook_subscription
        where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1) as s`,
)

/** Not locked: nearly always nothing is to be written, and what is written says by itself what it presumes. */
export function readHealth(tx: Tx, keys: SubscriptionKey[]): Promise<(SubscriptionKey & Health)[]> {
  return tx.query(healthOf, [tx.lane, ...arraysOf(keys, 'tenantId', 'subscriptionId')])
}

// Only of a subscription that is still as it was read: its business may have enabled or deleted it meanwhile.
const writeHealthRows = statement(
  'webhooks.write_health',
  `with v as materialized (
     select s.ctid as row_place, k.*
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
         as k (tenant_id, id, status_before, status, disabled_because, failing_since, at)
       cross join lateral (
         select ctid, status from webhook_subscription
          where lane = $1 and tenant_id = k.tenant_id and id = k.id limit 1 for update) as s
      where s.status = k.status_before)
   update webhook_subscription s
      set status = v.status, disabled_because = v.disabled_because, failing_since = v.failing_since,
          updated_at = case when v.status = v.status_before then s.updated_at else greatest(s.updated_at, v.at) end
     from v where s.lane is not distinct from $1 and s.ctid = v.row_place`,
)

export type HealthChange = SubscriptionKey & { before: Health; after: Health; at: Date }

/** Locked in the order in which `lockSubscriptions` locks them. */
export function writeHealth(tx: Tx, changes: HealthChange[]): void {
  const keyOf = ({ tenantId, subscriptionId }: HealthChange): string => `${tenantId} ${subscriptionId}`
  const ordered = changes.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  tx.send(writeHealthRows, [
    tx.lane,
    ...arraysOf(ordered, 'tenantId', 'subscriptionId'),
    arrayOf(ordered, ({ before }) => before.status),
    arrayOf(ordered, ({ after }) => after.status),
    arrayOf(ordered, ({ after }) => after.disabledBecause),
    arrayOf(ordered, ({ after }) => after.failingSince),
    arrayOf(ordered, ({ at }) => at),
  ])
}
