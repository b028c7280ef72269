// The SQL of subscriptions. Few, and written rarely, always under their tenant's lock.

import type { Tenant } from '#base/context.ts'
import { arrayOf, statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Subscription } from './subscription.ts'

const columns = `s.lane, s.tenant_id as "tenantId", s.id, s.url, s.events, s.status,
  s.disabled_because as "disabledBecause", s.secret, s.secret_hint as "secretHint", s.old_secret as "oldSecret",
  s.old_secret_until as "oldSecretUntil", s.failing_since as "failingSince", s.forgery_refused_at as "forgeryRefusedAt", s.created_at as "createdAt",
  s.updated_at as "updatedAt"`

// Locked as well: the sending notes failures in these rows without the tenant's lock.
const lockKept = statement(
  'webhooks.lock_subscriptions',
  `select ${columns} from webhook_subscription s
    where s.lane = $1 and s.tenant_id = any($2::uuid[]) and s.status <> 'deleted'
    order by s.tenant_id, s.id for update`,
)

export function lockSubscriptions(tx: Tx, tenantIds: Uuid[]): Promise<Subscription[]> {
  return tx.query(lockKept, [tx.lane, arrayOf(tenantIds, (id) => id)])
}

const keptOf = statement(
  'webhooks.subscriptions',
  `select ${columns} from webhook_subscription s
    where s.lane = $1 and s.tenant_id = $2 and s.status <> 'deleted' order by s.id desc`,
)

/** Those that are not deleted, the latest first. */
export function listSubscriptions(db: Queryable, tenant: Tenant): Promise<Subscription[]> {
  return db.query(keptOf, [tenant.lane, tenant.id])
}

const byId = statement(
  'webhooks.subscription',
  `select ${columns} from webhook_subscription s where s.lane = $1 and s.tenant_id = $2 and s.id = $3`,
)

/** Also one that is deleted. */
export async function findSubscription(db: Queryable, tenant: Tenant, id: Uuid): Promise<Subscription | undefined> {
  return (await db.query<Subscription>(byId, [tenant.lane, tenant.id, id]))[0]
}

const insertRow = statement(
  'webhooks.insert_subscription',
  `insert into webhook_subscription
     (lane, tenant_id, id, url, events, status, disabled_because, secret, secret_hint, old_secret, old_secret_until,
      failing_since, updated_at, created_at)
   values ($1, $2, $3, $4, $5::text[], $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
)

// What the service itself writes of a subscription's health is left alone, unless the business says something about it:
// both may happen in one transaction.
const updateRow = statement(
  'webhooks.update_subscription',
  `update webhook_subscription s
      set url = $4, events = $5::text[], secret = $8, secret_hint = $9, old_secret = $10, old_secret_until = $11,
          status = case when $14 then $6 else s.status end,
          disabled_because = case when $14 then $7 else s.disabled_because end,
          failing_since = case when $14 then $12 else s.failing_since end,
          forgery_refused_at = case when s.url = $4 then s.forgery_refused_at end,
          updated_at = greatest(s.updated_at, $13)
    where s.lane = $1 and s.tenant_id = $2 and s.id = $3`,
)

const noteForgery = statement(
  'webhooks.note_forgery',
  `update webhook_subscription s set forgery_refused_at = $5
    where s.lane = $1 and s.tenant_id = $2 and s.id = $3 and s.url = $4`,
)

/** What this address made of a wrong signature: when it refused it, or null. A tenant's lock is not needed for it. */
export function keepForgery(tx: Tx, { id, url }: Subscription, tenant: Tenant, refusedAt: Date | null): void {
  tx.send(noteForgery, [tenant.lane, tenant.id, id, url, refusedAt])
}

function valuesOf(subscription: Subscription): unknown[] {
  return [
    subscription.lane,
    subscription.tenantId,
    subscription.id,
    subscription.url,
    arrayOf(subscription.events, (name) => name),
    subscription.status,
    subscription.disabledBecause,
    subscription.secret,
    subscription.secretHint,
    subscription.oldSecret,
    subscription.oldSecretUntil,
    subscription.failingSince,
    subscription.updatedAt,
  ]
}

export function insertSubscription(tx: Tx, subscription: Subscription): void {
  tx.send(insertRow, [...valuesOf(subscription), subscription.createdAt])
}

/** Its row is locked by this transaction. `standing`: whether it is active, and why not, changes too. */
export function updateSubscription(tx: Tx, subscription: Subscription, { standing }: { standing: boolean }): void {
  tx.send(updateRow, [...valuesOf(subscription), standing])
}
