// The headers of one attempt. A receiver verifies them with nothing but its secret: by ours, or by any library of
// Standard Webhooks. docs/vectors/signatures.json holds this file to what was promised.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

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

export type Message = {
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
