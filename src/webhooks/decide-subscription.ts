// What a business may ask for its subscriptions, and what becomes of them. Pure: a wish is data, decided under the
// tenant's lock.

import { unreachable } from '#base/assert.ts'
import type { Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import type { EventName } from '#events/catalogue.ts'
import { subscriptionsMax, type Subscription } from './subscription.ts'

/** What a business may change. Undefined: it stays as it is. */
export type SubscriptionChanges = {
  url?: string | undefined
  events?: EventName[] | undefined
  status?: 'active' | 'disabled' | undefined
}

type NewSecret = { sealed: Buffer; hint: string }

export type SubscriptionWish = { id: Uuid } & (
  | ({ kind: 'create'; url: string; events: EventName[] } & NewSecret)
  | { kind: 'change'; changes: SubscriptionChanges }
  | { kind: 'remove' }
  /** `keepOldMs`: so long the secret that was signs too. */
  | ({ kind: 'rotate'; keepOldMs: number } & NewSecret)
)

/**
 * From what a tenant has (`kept`: all that are not deleted) to the one that is new or different. Undefined: there is none
 * to change, or there are too many to make another.
 */
export function decide(
  tenant: Tenant,
  kept: readonly Subscription[],
  wish: SubscriptionWish,
  nowMs: number,
): Subscription | undefined {
  if (wish.kind === 'create') {
    return kept.length >= subscriptionsMax ? undefined : created(tenant, wish, new Date(nowMs))
  }
  const found = kept.find(({ id }) => id === wish.id)
  if (found === undefined) return undefined
  // A row is never dated before it was made, whatever the clocks of several processes say.
  const at = new Date(Math.max(nowMs, found.updatedAt.getTime()))
  switch (wish.kind) {
    case 'change':
      return changed(found, wish.changes, at)
    case 'remove':
      return deleted(found, at)
    case 'rotate':
      return rotated(found, wish, at)
    default:
      return unreachable(wish)
  }
}

function created(
  tenant: Tenant,
  { id, url, events, sealed, hint }: Extract<SubscriptionWish, { kind: 'create' }>,
  at: Date,
): Subscription {
  return {
    lane: tenant.lane,
    tenantId: tenant.id,
    id,
    url,
    events,
    status: 'active',
    disabledBecause: null,
    secret: sealed,
    secretHint: hint,
    oldSecret: null,
    oldSecretUntil: null,
    failingSince: null,
    forgeryRefusedAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

function changed(subscription: Subscription, { url, events, status }: SubscriptionChanges, at: Date): Subscription {
  const next = { ...subscription, updatedAt: at }
  if (url !== undefined) next.url = url
  if (events !== undefined) next.events = events
  if (status !== undefined && (status === 'active' || subscription.status !== 'disabled')) {
    next.status = status
    // Once enabled again it starts anew; and what its business disables was not disabled by us.
    next.disabledBecause = null
    if (status === 'active') next.failingSince = null
  }
  return next
}

/** What is deleted forgets its secrets. Its address stays: the log shows it. */
function deleted(subscription: Subscription, at: Date): Subscription {
  const forgotten = { secret: null, oldSecret: null, oldSecretUntil: null, disabledBecause: null }
  return { ...subscription, ...forgotten, status: 'deleted', updatedAt: at }
}

/** The secret that was becomes the old one, and the one before it is forgotten. */
function rotated(
  subscription: Subscription,
  { sealed, hint, keepOldMs }: NewSecret & { keepOldMs: number },
  at: Date,
): Subscription {
  const oldSecret = keepOldMs === 0 ? null : subscription.secret
  return {
    ...subscription,
    secret: sealed,
    secretHint: hint,
    oldSecret,
    oldSecretUntil: oldSecret === null ? null : new Date(at.getTime() + keepOldMs),
    updatedAt: at,
  }
}
