// The receiver of a delivery, read from the row of the subscription when the outbox writes the delivery and when the
// delivery worker claims it.

import type { Uuid } from '#platform/ids.ts'

export type Receiver = {
  subscriptionId: Uuid
  url: string
  /** Sealed, like the old one. */
  secret: Buffer
  oldSecret: Buffer | null
  oldSecretUntil: Date | null
  /** True if the last recorded attempt failed. */
  failing: boolean
}

/** Columns of webhook_subscription, with the alias `s`. */
export const receiverColumns = `s.id as "subscriptionId", s.url, s.secret, s.old_secret as "oldSecret",
  s.old_secret_until as "oldSecretUntil", s.failing_since is not null as failing`

/** Picks the receiver out of a larger row. */
export function receiverOf(row: Receiver): Receiver {
  const { subscriptionId, url, secret, oldSecret, oldSecretUntil, failing } = row
  return { subscriptionId, url, secret, oldSecret, oldSecretUntil, failing }
}
