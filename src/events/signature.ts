// The headers of one attempt. A receiver verifies them with its secret, by our scheme or with any Standard Webhooks
// library. docs/vectors/signatures.json tests them.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Uuid } from '#platform/ids.ts'

/** One secret: `whole` is for our scheme, `decoded` for Standard Webhooks. */
export type SigningKey = { whole: KeyObject; decoded: KeyObject }

const secretPrefix = 'whsec_'

export function signingKey(secret: string): SigningKey {
  return {
    whole: createSecretKey(secret, 'utf8'),
    decoded: createSecretKey(secret.slice(secretPrefix.length), 'base64'),
  }
}

type Message = {
  id: string
  event: string
  /** Counted from 1. */
  attempt: number
  /** The time of this attempt and not of the event, because receivers refuse old messages. */
  unixSeconds: number
  body: Buffer
  /** The newest first. There are two after a rotation, until the old secret expires. */
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

/**
 * Binds an encrypted secret to its subscription. The old secret was encrypted when it was the current one, so both have
 * the same context.
 */
export function secretContext(subscriptionId: Uuid): string {
  return `webhook_subscription.secret:${subscriptionId}`
}
