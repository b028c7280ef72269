// The headers of one attempt. A receiver verifies them with nothing but its secret: by ours, or by any library of
// Standard Webhooks. docs/vectors/signatures.json holds this file to what was promised.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Uuid } from '#platform/ids.ts'

/** One secret as both signatures need it. */
export type SigningKey = { whole: KeyObject; decoded: KeyObject }

const secretPrefix = 'whsec_'

export function signingKey(secret: string): SigningKey {
  return {
    // The secret exactly as it was returned, prefix included.
    whole: createSecretKey(secret, 'utf8'),
    decoded: createSecretKey(secret.slice(secretPrefix.length), 'base64'),
  }
}

type Message = {
  /** As the receiver sees it: `evt_…`. */
  id: string
  event: string
  /** Counted from 1. */
  attempt: number
  /** The time of this attempt: receivers refuse what is old. */
  unixSeconds: number
  body: Buffer
  /** The new one first; two while a secret is being replaced. */
  keys: readonly SigningKey[]
}

export function headersOf({ id, event, attempt, unixSeconds, body, keys }: Message): Record<string, string> {
  const time = String(unixSeconds)
  const hex = keys.map(({ whole }) => createHmac('sha256', whole).update(`${time}.`).update(body).digest('hex'))
  const base64 = keys.map(({ decoded }) =>
    createHmac('sha256', decoded).update(`${id}.${time}.`).update(body).digest('base64'),
  )
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Manilla-Webhooks/1',
    'X-Webhook-Signature': `t=${time},${hex.map((signature) => `v1=${signature}`).join(',')}`,
    'X-Webhook-Event': event,
    'X-Webhook-Id': id,
    'X-Webhook-Attempt': String(attempt),
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': base64.map((signature) => `v1,${signature}`).join(' '),
  }
}

// The receiver of a delivery, as it is read out of a subscription's row: when the pipe writes the delivery, and when the
// sending claims it.

export type Receiver = {
  subscriptionId: Uuid
  url: string
  /** Sealed, as is the old one. */
  secret: Buffer
  oldSecret: Buffer | null
  oldSecretUntil: Date | null
  /** The last attempt on record failed. */
  failing: boolean
}

/** What a statement selects of webhook_subscription, with the alias `s`. */
export const receiverColumns = `s.id as "subscriptionId", s.url, s.secret, s.old_secret as "oldSecret",
  s.old_secret_until as "oldSecretUntil", s.failing_since is not null as failing`

/** Out of a row that holds more. */
export function receiverOf(row: Receiver): Receiver {
  const { subscriptionId, url, secret, oldSecret, oldSecretUntil, failing } = row
  return { subscriptionId, url, secret, oldSecret, oldSecretUntil, failing }
}

/** A sealed secret opens only as one of this subscription. The old one has been the new one, so both have one context. */
export function secretContext(subscriptionId: Uuid): string {
  return `webhook_subscription.secret:${subscriptionId}`
}
