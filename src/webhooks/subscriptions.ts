// Subscriptions, as the doors see them. Every write is decided under the tenant's lock, as every event is: the very next
// event goes by what was written here.

import type { Act, Details } from '#audit/entry.ts'
import { record } from '#audit/record.ts'
import { unreachable } from '#base/assert.ts'
import type { Actor, Context, Tenant } from '#base/context.ts'
import { hourMs } from '#base/durations.ts'
import { formatId, newUuid, type Uuid } from '#base/ids.ts'
import type { Operation, Writer } from '#base/lane.ts'
import type { SecretBox } from '#base/secret.ts'
import type { EventName } from '#events/catalogue.ts'
import { secretContext } from '#events/receiver.ts'
import { withTenants } from '#ledger/lock.ts'
import {
  findSubscription,
  insertSubscription,
  listSubscriptions,
  lockSubscriptions,
  updateSubscription,
} from './sql-subscriptions.ts'
import { decide, type SubscriptionChanges, type SubscriptionWish } from './decide-subscription.ts'
import { hintOf, newSecret, type Subscription } from './subscription.ts'

export type Subscriptions = {
  /** The secret is told now and never again. */
  create(tenant: Tenant, wish: { url: string; events: EventName[] }, by: Actor): Promise<CreateOutcome>
  list(tenant: Tenant): Promise<Subscription[]>
  /** Undefined: there is none, or it is deleted. */
  read(tenant: Tenant, id: Uuid): Promise<Subscription | undefined>
  change(tenant: Tenant, id: Uuid, changes: SubscriptionChanges, by: Actor): Promise<Subscription | undefined>
  remove(tenant: Tenant, id: Uuid, by: Actor): Promise<Subscription | undefined>
  rotateSecret(tenant: Tenant, id: Uuid, expireOldInHours: number, by: Actor): Promise<Secret | undefined>
}

export type Secret = { subscription: Subscription; secret: string }
export type CreateOutcome = ({ kind: 'created' } & Secret) | { kind: 'too-many' }

export type SubscriptionsOptions = Writer & {
  box: SecretBox
}

export function createSubscriptions({ ctx, laneOf, box }: SubscriptionsOptions): Subscriptions {
  const writing = writeOperation(ctx)
  const write = (tenant: Tenant, wish: SubscriptionWish, by: Actor): Promise<Subscription | undefined> =>
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

type WriteCommand = { tenant: Tenant; wish: SubscriptionWish; by: Actor }

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
        const written = decide(tenant, kept, wish, clock.now())
        if (written !== undefined) {
          latest.set(written.id, written)
          record(tx, clock.now(), {
            by,
            tenantId: tenant.id,
            subject: formatId('webhook', written.id),
            ...toldOf(wish),
          })
        }
        return written
      })
      for (const id of new Set(outcomes.flatMap((one) => one?.id ?? []))) {
        const subscription = latest.get(id)
        if (subscription === undefined) continue
        const before = known.get(id)
        if (before === undefined) insertSubscription(tx, subscription)
        else updateSubscription(tx, subscription, { standing: !standsAs(before, subscription) })
      }
      return outcomes
    },
  }
}

function toldOf(wish: SubscriptionWish): { act: Act; details?: Details } {
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

function standsAs(one: Subscription, other: Subscription): boolean {
  return (
    one.status === other.status &&
    one.disabledBecause === other.disabledBecause &&
    one.failingSince?.getTime() === other.failingSince?.getTime()
  )
}
