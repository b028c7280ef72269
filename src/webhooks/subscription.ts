// A webhook subscription: who wants to be told of what, and where. Its states and the rules of what it may say; pure. The
// drawing of the states is docs/states.md.

import { randomBytes } from 'node:crypto'
import type { Environment } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { eventNames, testEvent, type EventName } from '#events/catalogue.ts'
import { environmentNames } from '#events/payload.ts'

export const subscriptionStatuses = ['active', 'disabled', 'deleted'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** Why the service disabled one by itself: its endpoint answered 410, or nothing but failures for days. */
export const disablingReasons = ['GONE', 'FAILING'] as const
export type DisablingReason = (typeof disablingReasons)[number]

export type Subscription = {
  lane: number
  tenantId: Uuid
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
  createdAt: Date
  updatedAt: Date
}

/** Of one tenant, those that are not deleted. */
export const subscriptionsMax = 20

/** For the doors, which know rooms but not the pipe. */
export const subscribableEvents = eventNames
/** What the log holds: also what nobody can subscribe to. */
export const loggedEvents = [...eventNames, testEvent] as const
export const subscriptionEnvironments = Object.values(environmentNames)
export type SubscriptionEnvironment = (typeof subscriptionEnvironments)[number]

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
 * What is wrong with an address, whoever gives it. Where it leads is not judged here but each time a connection is made:
 * a name may lead elsewhere by then.
 */
export function faultOfUrl(unchecked: string): string | undefined {
  if (unchecked.length > urlLengthMax) return `must have at most ${urlLengthMax} characters`
  // The parser forgives what a person did not mean: spaces, line breaks, backslashes, slashes left out.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(unchecked)?.[1]
  const odd = !unchecked.isWellFormed() || /[\s\\\p{Cc}]/u.test(unchecked)
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
 * What else is wrong with an address, given whose it is. `local`: this server listens on loopback, so whoever develops
 * against it may have a receiver beside it.
 */
export function faultOfScheme(url: string, environment: Environment, local: boolean): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:') return undefined
  return local && environment === 'staging' && isLoopbackHost(hostname) ? undefined : secureSentence
}

/** By its name alone: 127.0.0.0/8, ::1, and what by convention is one of them. */
export function isLoopbackHost(host: string): boolean {
  return /^127(\.\d{1,3}){3}$|^\[?::1\]?$|^(.+\.)?localhost\.?$/i.test(host)
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

/** A sealed secret opens only as one of this subscription. The old one has been the new one, so both have one context. */
export function secretContext(id: Uuid): string {
  return `webhook_subscription.secret:${id}`
}

/** What a business may change. Undefined: it stays as it is. */
export type SubscriptionChanges = {
  url?: string | undefined
  events?: EventName[] | undefined
  status?: 'active' | 'disabled' | undefined
}

export function changed(
  subscription: Subscription,
  { url, events, status }: SubscriptionChanges,
  at: Date,
): Subscription {
  const next = { ...subscription, updatedAt: at }
  if (url !== undefined) next.url = url
  if (events !== undefined) next.events = events
  if (status !== undefined && (status === 'active' || subscription.status !== 'disabled')) {
    next.status = status
    // Whoever enables it again starts anew; and what its business disables was not disabled by us.
    next.disabledBecause = null
    if (status === 'active') next.failingSince = null
  }
  return next
}

/** What is deleted forgets its secrets. Its address stays: the log shows it. */
export function deleted(subscription: Subscription, at: Date): Subscription {
  const forgotten = { secret: null, oldSecret: null, oldSecretUntil: null, disabledBecause: null }
  return { ...subscription, ...forgotten, status: 'deleted', updatedAt: at }
}

/** The secret that was becomes the old one, and the one before it is forgotten. */
export function rotated(
  subscription: Subscription,
  { sealed, hint, oldUntil, at }: { sealed: Buffer; hint: string; oldUntil: Date | null; at: Date },
): Subscription {
  const oldSecret = oldUntil === null ? null : subscription.secret
  return {
    ...subscription,
    secret: sealed,
    secretHint: hint,
    oldSecret,
    oldSecretUntil: oldSecret === null ? null : oldUntil,
    updatedAt: at,
  }
}
