// Subscriptions, as the doors see them. Every write is decided under the tenant's lock, as every event is: the very next
// event goes by what was written here.

import type { Context, Tenant } from '#base/context.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Lane, Operation } from '#base/lane.ts'
import type { SecretBox } from '#base/secret.ts'
import type { EventName } from '#events/catalogue.ts'
import { withTenants } from '#ledger/lock.ts'
import {
  findSubscription,
  insertSubscription,
  listSubscriptions,
  lockSubscriptions,
  updateSubscription,
} from './sql-subscriptions.ts'
import {
  changed,
  deleted,
  hintOf,
  newSecret,
  rotated,
  secretContext,
  subscriptionsMax,
  type Subscription,
  type SubscriptionChanges,
} from './subscription.ts'

export type Subscriptions = {
  /** The secret is told now and never again. */
  create(tenant: Tenant, wish: { url: string; events: EventName[] }): Promise<CreateOutcome>
  list(tenant: Tenant): Promise<Subscription[]>
  /** Undefined: there is none, or it is deleted. */
  read(tenant: Tenant, id: Uuid): Promise<Subscription | undefined>
  change(tenant: Tenant, id: Uuid, changes: SubscriptionChanges): Promise<Subscription | undefined>
  remove(tenant: Tenant, id: Uuid): Promise<Subscription | undefined>
  rotateSecret(tenant: Tenant, id: Uuid, expireOldInHours: number): Promise<Secret | undefined>
}

export type Secret = { subscription: Subscription; secret: string }
export type CreateOutcome = ({ kind: 'created' } & Secret) | { kind: 'too-many' }

export type SubscriptionsOptions = {
  ctx: Context
  laneOf: (lane: number) => Lane
  box: SecretBox
}

const hourMs = 3_600_000

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { ctx, laneOf, box } = options
  const writing = writeOperation(options)
  const write = (tenant: Tenant, make: Decision): Promise<Written> =>
    laneOf(tenant.lane).submit(writing, { tenant, decide: make })
  const update = async (
    tenant: Tenant,
    id: Uuid,
    make: (kept: Subscription, at: Date) => Subscription,
  ): Promise<Subscription | undefined> =>
    write(tenant, (all, now) => {
      const kept = all.find((one) => one.id === id)
      // A row is never dated before it was made, whatever the clocks of several processes say.
      return kept === undefined ? undefined : make(kept, new Date(Math.max(now, kept.updatedAt.getTime())))
    })

  return {
    async create(tenant, { url, events }) {
      const secret = newSecret()
      const subscription = await write(tenant, (all, now) => {
        if (all.length >= subscriptionsMax) return undefined
        const at = new Date(now)
        const id = newUuid(now)
        return newSubscription(tenant, { id, url, events, secretHint: hintOf(secret), at }, (context) =>
          box.seal(secret, context),
        )
      })
      return subscription === undefined ? { kind: 'too-many' } : { kind: 'created', subscription, secret }
    },
    list: (tenant) => listSubscriptions(ctx.db, tenant),
    async read(tenant, id) {
      const found = await findSubscription(ctx.db, tenant, id)
      return found?.status === 'deleted' ? undefined : found
    },
    change: (tenant, id, changes) => update(tenant, id, (kept, at) => changed(kept, changes, at)),
    remove: (tenant, id) => update(tenant, id, deleted),
    async rotateSecret(tenant, id, expireOldInHours) {
      const secret = newSecret()
      const sealed = box.seal(secret, secretContext(id))
      const subscription = await update(tenant, id, (kept, at) => {
        const oldUntil = expireOldInHours === 0 ? null : new Date(at.getTime() + expireOldInHours * hourMs)
        return rotated(kept, { sealed, hint: hintOf(secret), oldUntil, at })
      })
      return subscription === undefined ? undefined : { subscription, secret }
    },
  }
}

type New = Pick<Subscription, 'id' | 'url' | 'events' | 'secretHint'> & { at: Date }

function newSubscription(tenant: Tenant, { at, ...wish }: New, seal: (context: string) => Buffer): Subscription {
  return {
    ...wish,
    lane: tenant.lane,
    tenantId: tenant.id,
    status: 'active',
    disabledBecause: null,
    secret: seal(secretContext(wish.id)),
    oldSecret: null,
    oldSecretUntil: null,
    failingSince: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** From what a tenant has, to one that is new or different, or to nothing. */
type Decision = (kept: readonly Subscription[], nowMs: number) => Subscription | undefined
type Written = Subscription | undefined
type WriteCommand = { tenant: Tenant; decide: Decision }

function writeOperation({ ctx }: SubscriptionsOptions): Operation<WriteCommand, Written> {
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
      const outcomes = commands.map(({ tenant, decide }) => {
        const kept = [...latest.values()].filter((one) => one.tenantId === tenant.id && one.status !== 'deleted')
        const written = decide(kept, ctx.clock.now())
        if (written !== undefined) latest.set(written.id, written)
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

function standsAs(one: Subscription, other: Subscription): boolean {
  return (
    one.status === other.status &&
    one.disabledBecause === other.disabledBecause &&
    one.failingSince?.getTime() === other.failingSince?.getTime()
  )
}
