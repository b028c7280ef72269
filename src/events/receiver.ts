// The receiver of a delivery, as it is read out of a subscription's row: when the pipe writes the delivery, and when the
// sending claims it.

import type { Uuid } from '#base/ids.ts'

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
