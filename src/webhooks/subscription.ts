// A webhook subscription: its events, URL and secret, and the rules for changing them, without the database.

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

export type Subscription = OfTenant & {
  id: Uuid
  url: string
  events: EventName[]
  status: SubscriptionStatus
  disabledBecause: DisablingReason | null
  /** Sealed; null if the subscription is deleted. */
  secret: Buffer | null
  secretHint: string
  oldSecret: Buffer | null
  oldSecretUntil: Date | null
  failingSince: Date | null
  /** The time when the receiver at this URL refused an invalid signature. */
  forgeryRefusedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const subscriptionsMax = 20

export const subscribableEvents = eventNames
/** The log also contains tests, to which no business can subscribe. */
export const loggedEvents = [...eventNames, testEvent] as const
export const subscriptionEnvironments = Object.values(environmentNames)
type SubscriptionEnvironment = (typeof subscriptionEnvironments)[number]

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

/** A subscription belongs to the environment of the API key, so a request may name only that one. */
export function faultOfEnvironment(environment: Environment, named: SubscriptionEnvironment): string | undefined {
  const own = environmentNames[environment]
  return named === own ? undefined : `must be ${own}: the key is one of ${environment}`
}

export const urlLengthMax = 2048

/**
 * Checks the form of a URL, for both environments. The IP address is checked at each connection (`isPermittedAddress`,
 * platform/http-client/addresses.ts), because a host name may resolve to another address by then.
 */
export function faultOfUrl(unchecked: string): string | undefined {
  if (unchecked.length > urlLengthMax) return `must have at most ${urlLengthMax} characters`
  // The URL parser accepts spaces, line breaks, backslashes and missing slashes. They are typing errors, so refuse them.
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

/** `local`: only this machine uses the environment, so a developer may run a receiver on it. */
export function faultOfScheme(url: string, environment: Environment, local: boolean): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:') return undefined
  return local && environment === 'staging' && isLoopbackHost(hostname) ? undefined : secureSentence
}

const secretBytes = 32
const hintLength = 5

export function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`
}

/** Enough to distinguish two secrets, and too little to guess one. */
export function hintOf(secret: string): string {
  return `whsec_…${secret.slice(-hintLength)}`
}

/** An undefined field stays as it is. */
export type SubscriptionChanges = {
  url?: string | undefined
  events?: EventName[] | undefined
  status?: 'active' | 'disabled' | undefined
}

type NewSecret = { sealed: Buffer; hint: string }

export type SubscriptionCommand = { id: Uuid } & (
  | ({ kind: 'create'; url: string; events: EventName[] } & NewSecret)
  | { kind: 'change'; changes: SubscriptionChanges }
  | { kind: 'remove' }
  /** `keepOldMs`: the time during which the old secret still signs too. */
  | ({ kind: 'rotate'; keepOldMs: number } & NewSecret)
)

/**
 * `kept`: all subscriptions of the tenant that are not deleted, read under the tenant's lock. Returns undefined if the
 * subscription does not exist or the tenant has too many.
 */
export function decideSubscription(
  tenant: Tenant,
  kept: readonly Subscription[],
  command: SubscriptionCommand,
  nowMs: number,
): Subscription | undefined {
  if (command.kind === 'create') {
    return kept.length >= subscriptionsMax ? undefined : created(tenant, command, new Date(nowMs))
  }
  const found = kept.find(({ id }) => id === command.id)
  if (found === undefined) return undefined
  // The clocks of processes may differ; `updatedAt` never goes back.
  const at = new Date(Math.max(nowMs, found.updatedAt.getTime()))
  switch (command.kind) {
    case 'change':
      return changed(found, command.changes, at)
    case 'remove':
      return deleted(found, at)
    case 'rotate':
      return rotated(found, command, at)
    default:
      return unreachable(command)
  }
}

function created(
  tenant: Tenant,
  { id, url, events, sealed, hint }: Extract<SubscriptionCommand, { kind: 'create' }>,
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
    // The business decides now, so a reason of the service no longer applies. Enabling also forgets earlier failures.
    next.disabledBecause = null
    if (status === 'active') next.failingSince = null
  }
  return next
}

/** Deletes the secrets. The URL stays, because the log shows it. */
function deleted(subscription: Subscription, at: Date): Subscription {
  const forgotten = { secret: null, oldSecret: null, oldSecretUntil: null, disabledBecause: null }
  return { ...subscription, ...forgotten, status: 'deleted', updatedAt: at }
}

/** If the old secret of an earlier rotation still works, it stops working now. */
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
