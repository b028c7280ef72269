// A webhook subscription: who wants to be told of what, and where, and the rules of what it may say; pure.

import { randomBytes } from 'node:crypto'
import type { Environment, OfTenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { isLoopbackHost } from '#base/network.ts'
import { eventNames, testEvent, type EventName } from '#events/catalogue.ts'
import { environmentNames } from '#events/payload.ts'
import type { DisablingReason, SubscriptionStatus } from '#events/states.ts'

/** For the doors, which know rooms but not the pipe. */
export { disablingReasons } from '#events/states.ts'

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
