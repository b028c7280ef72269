// Reads and writes subscriptions by the rules of subscription.ts. A change by a business takes the tenant's lock, as
// every event does, so the next event uses the new subscription. The delivery worker changes a subscription's status and
// health without that lock.

import type { Act, Details } from '#audit/entry.ts'
import { recordEntry } from '#audit/record.ts'
import type { EventName } from '#events/catalogue.ts'
import { secretContext } from '#events/signature.ts'
import { withTenants } from '#ledger/post.ts'
import { unreachable } from '#platform/assert.ts'
import type { Tenant, Actor, Context } from '#platform/context.ts'
import { arrayOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import { hourMs } from '#platform/durations.ts'
import { type Uuid, formatId, newUuid } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'
import {
  type Subscription,
  decideSubscription,
  type SubscriptionChanges,
  type SubscriptionCommand,
  hintOf,
  newSecret,
} from './subscription.ts'

const columns = `s.lane, s.tenant_id as "tenantId", s.id, s.url, s.events, s.status,
  s.disabled_because as "disabledBecause", s.secret, s.secret_hint as "secretHint", s.old_secret as "oldSecret",
  s.old_secret_until as "oldSecretUntil", s.failing_since as "failingSince", s.forgery_refused_at as "forgeryRefusedAt", s.created_at as "createdAt",
  s.updated_at as "updatedAt"`

// Locks the rows too, because the delivery worker updates their health without the tenant's lock.
const lockKept = statement(
  'webhooks.lock_subscriptions',
  `select ${columns} from webhook_subscription s
    where s.lane = $1 and s.tenant_id = any($2::uuid[]) and s.status <> 'deleted'
    order by s.tenant_id, s.id for update`,
)

function lockSubscriptions(tx: Tx, tenantIds: Uuid[]): Promise<Subscription[]> {
  return tx.query(lockKept, [tx.lane, arrayOf(tenantIds, (id) => id)])
}

const keptOf = statement(
  'webhooks.subscriptions',
  `select ${columns} from webhook_subscription s
    where s.lane = $1 and s.tenant_id = $2 and s.status <> 'deleted' order by s.id desc`,
)

function listSubscriptions(db: Queryable, tenant: Tenant): Promise<Subscription[]> {
  return db.query(keptOf, [tenant.lane, tenant.id])
}

const byId = statement(
  'webhooks.subscription',
  `select ${columns} from webhook_subscription s where s.lane = $1 and s.tenant_id = $2 and s.id = $3`,
)

/** Finds deleted subscriptions too. */
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

// Leaves the status and the health columns, which the delivery worker writes too, as they are unless the business
// changed the status ($14).
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

const storeProbe = statement(
  'webhooks.store_probe',
  `update webhook_subscription s set forgery_refused_at = $5
    where s.lane = $1 and s.tenant_id = $2 and s.id = $3 and s.url = $4`,
)

/**
 * Stores when this URL refused an invalid signature, or null if the URL accepted one. Takes no tenant lock, because it
 * stores nothing if the URL was changed meanwhile.
 */
export function storeProbeResult(tx: Tx, { id, url }: Subscription, tenant: Tenant, refusedAt: Date | null): void {
  tx.send(storeProbe, [tenant.lane, tenant.id, id, url, refusedAt])
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

function insertSubscription(tx: Tx, subscription: Subscription): void {
  tx.send(insertRow, [...valuesOf(subscription), subscription.createdAt])
}

/** The caller has locked the row. */
function updateSubscription(tx: Tx, subscription: Subscription, { statusChanged }: { statusChanged: boolean }): void {
  tx.send(updateRow, [...valuesOf(subscription), statusChanged])
}

export type Subscriptions = {
  /** Resolves with the secret, which no later call returns. */
  create(tenant: Tenant, wish: { url: string; events: EventName[] }, by: Actor): Promise<CreateOutcome>
  list(tenant: Tenant): Promise<Subscription[]>
  /** Undefined if it does not exist or is deleted. */
  read(tenant: Tenant, id: Uuid): Promise<Subscription | undefined>
  change(tenant: Tenant, id: Uuid, changes: SubscriptionChanges, by: Actor): Promise<Subscription | undefined>
  remove(tenant: Tenant, id: Uuid, by: Actor): Promise<Subscription | undefined>
  rotateSecret(tenant: Tenant, id: Uuid, expireOldInHours: number, by: Actor): Promise<Secret | undefined>
}

export type Secret = { subscription: Subscription; secret: string }
type CreateOutcome = ({ kind: 'created' } & Secret) | { kind: 'too-many' }

type SubscriptionsOptions = Writer & {
  box: SecretBox
}

export function createSubscriptions({ ctx, laneOf, box }: SubscriptionsOptions): Subscriptions {
  const writing = writeOperation(ctx)
  const write = (tenant: Tenant, wish: SubscriptionCommand, by: Actor): Promise<Subscription | undefined> =>
    laneOf(tenant.lane).submit(writing, { tenant, wish, by })
  async function seal(secret: string, id: Uuid): Promise<{ sealed: Buffer; hint: string }> {
    await box.requireCurrent()
    return { sealed: box.seal(secret, secretContext(id)), hint: hintOf(secret) }
  }

  return {
    async create(tenant, { url, events }, by) {
      const [id, secret] = [newUuid(ctx.clock.now()), newSecret()]
      const subscription = await write(tenant, { kind: 'create', id, url, events, ...(await seal(secret, id)) }, by)
      return subscription === undefined ? { kind: 'too-many' } : { kind: 'created', subscription, secret }
    },
    list: (tenant) => listSubscriptions(ctx.db, tenant),
    async read(tenant, id) {
      const found = await findSubscription(ctx.db, tenant, id)
      return found?.status === 'deleted' ? undefined : found
    },
    change: (tenant, id, changes, by) => write(tenant, { kind: 'change', id, changes }, by),
    remove: (tenant, id, by) => write(tenant, { kind: 'remove', id }, by),
    async rotateSecret(tenant, id, expireOldInHours, by) {
      const secret = newSecret()
      const keepOldMs = expireOldInHours * hourMs
      const subscription = await write(tenant, { kind: 'rotate', id, keepOldMs, ...(await seal(secret, id)) }, by)
      return subscription === undefined ? undefined : { subscription, secret }
    },
  }
}

type WriteCommand = { tenant: Tenant; wish: SubscriptionCommand; by: Actor }

function writeOperation({ clock }: Context): Operation<WriteCommand, Subscription | undefined> {
  return {
    name: 'webhooks.write',
    async run(tx, commands) {
      const found = await withTenants(
        tx,
        commands.map(({ tenant }) => tenant.id),
        (tenantIds) => lockSubscriptions(tx, tenantIds),
      )
      const known = new Map(found.map((one) => [one.id, one]))
      const latest = new Map(known)
      const outcomes = commands.map(({ tenant, wish, by }) => {
        const kept = [...latest.values()].filter((one) => one.tenantId === tenant.id && one.status !== 'deleted')
        const written = decideSubscription(tenant, kept, wish, clock.now())
        if (written !== undefined) {
          latest.set(written.id, written)
          recordEntry(tx, clock.now(), {
            by,
            tenantId: tenant.id,
            subject: formatId('webhook', written.id),
            ...auditEntryOf(wish),
          })
        }
        return written
      })
      for (const id of new Set(outcomes.flatMap((one) => one?.id ?? []))) {
        const subscription = latest.get(id)
        if (subscription === undefined) continue
        const before = known.get(id)
        if (before === undefined) insertSubscription(tx, subscription)
        else updateSubscription(tx, subscription, { statusChanged: !hasSameStatus(before, subscription) })
      }
      return outcomes
    },
  }
}

function auditEntryOf(wish: SubscriptionCommand): { act: Act; details?: Details } {
  switch (wish.kind) {
    case 'create':
      return { act: 'webhook.created', details: { url: wish.url, events: wish.events } }
    case 'change':
      return { act: 'webhook.changed', details: definedOf(wish.changes) }
    case 'remove':
      return { act: 'webhook.deleted' }
    case 'rotate':
      return { act: 'webhook.secret-rotated', details: { oldSecretHours: wish.keepOldMs / hourMs } }
    default:
      return unreachable(wish)
  }
}

function definedOf({ url, events, status }: SubscriptionChanges): Details {
  return {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
    ...(status === undefined ? {} : { status }),
  }
}

function hasSameStatus(one: Subscription, other: Subscription): boolean {
  return (
    one.status === other.status &&
    one.disabledBecause === other.disabledBecause &&
    one.failingSince?.getTime() === other.failingSince?.getTime()
  )
}
