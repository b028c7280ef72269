// A webhook subscription: who wants to be told of what, and where, and the rules of what it may say; pure.

import { randomBytes } from 'node:crypto'
import {
  eventNames,
  testEvent,
  type EventName,
  type DisablingReason,
  type SubscriptionStatus,
} from '#events/catalogue.ts'
import { environmentNames } from '#events/payload.ts'
import { unreachable } from '#platform/assert.ts'
import type { Environment, OfTenant, Tenant } from '#platform/context.ts'
import { isLoopbackHost } from '#platform/http-client/addresses.ts'
import type { Uuid } from '#platform/ids.ts'

export { disablingReasons } from '#events/catalogue.ts'

/** For the doors, which know rooms but not the pipe. */

export type Subscription = OfTenant & {
  id: Uuid
  url: string
  events: EventName[]
  status: SubscriptionStatus
  disabledBecause: DisablingReason | null
  /** Sealed; null once it is deleted. */
  secret: Buffer | null
  secretHint: string
  oldSecret: Buffer | null
  oldSecretUntil: Date | null
  failingSince: Date | null
  /** When what is at this address refused a wrong signature. */
  forgeryRefusedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** How many one tenant may have that are not deleted. */
export const subscriptionsMax = 20

/** For the doors, which know rooms but not the pipe. */
export const subscribableEvents = eventNames
/** What the log holds: also the test, which is no event to subscribe to. */
export const loggedEvents = [...eventNames, testEvent] as const
export const subscriptionEnvironments = Object.values(environmentNames)
type SubscriptionEnvironment = (typeof subscriptionEnvironments)[number]

/** What is wrong with a list of events; undefined: nothing is. */
export function faultOfEvents(unchecked: readonly string[]): string | undefined {
  if (unchecked.length === 0) return 'must name at least one event'
  const unknown = unchecked.find((name) => !isEventName(name))
  if (unknown !== undefined) {
    return `holds ${JSON.stringify(unknown.slice(0, 50))}, which is not an event; there are ${eventNames.join(', ')}`
  }
  return new Set(unchecked).size < unchecked.length ? 'must not name an event twice' : undefined
}

export function isEventName(unchecked: string): unchecked is EventName {
  return (eventNames as readonly string[]).includes(unchecked)
}

/** The environment that a key's owner may name: a subscription lives where its key does. */
export function faultOfEnvironment(environment: Environment, named: SubscriptionEnvironment): string | undefined {
  const own = environmentNames[environment]
  return named === own ? undefined : `must be ${own}: the key is one of ${environment}`
}

export const urlLengthMax = 2048

/**
 * What is wrong with an address, in either environment. Where it leads is not judged here but each time a connection is made:
 * a name may lead elsewhere by then.
 */
export function faultOfUrl(unchecked: string): string | undefined {
  if (unchecked.length > urlLengthMax) return `must have at most ${urlLengthMax} characters`
  // The parser forgives what a person did not mean: spaces, line breaks, backslashes, slashes left out.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(unchecked)?.[1]
  const odd = !unchecked.isWellFormed() || /[\s\\\p{Cc}\p{Cf}]/u.test(unchecked)
  if (authority === undefined || odd || !URL.canParse(unchecked)) {
    return 'must be an absolute address such as https://example.com/webhooks'
  }
  if (authority.includes('@')) return 'must not hold a user name or a password'
  if (unchecked.includes('#')) return 'must not hold a fragment (#…)'
  const { protocol, hostname } = new URL(unchecked)
  return protocol === 'https:' || isLoopbackHost(hostname) ? undefined : secureSentence
}

const secureSentence = 'must begin with https://'

/**
 * What else is wrong with an address in an environment. `local`: the environment is for this machine alone, so a developer
 * may have a receiver on it.
 */
export function faultOfScheme(url: string, environment: Environment, local: boolean): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:') return undefined
  return local && environment === 'staging' && isLoopbackHost(hostname) ? undefined : secureSentence
}

const secretBytes = 32
const hintLength = 5

/** The text itself is the key of the signature, prefix included. */
export function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`
}

/** Enough to tell two secrets apart, and too little to guess one. */
export function hintOf(secret: string): string {
  return `whsec_…${secret.slice(-hintLength)}`
}

// What a business may ask for its subscriptions, and what becomes of them. Pure: a wish is data, decided under the
// tenant's lock.

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
