// The receiver of a delivery: the columns of its subscription that an attempt needs.

import type { Uuid } from '#platform/ids.ts'

export type Receiver = {
  subscriptionId: Uuid
  url: string
  /** Encrypted, like `oldSecret`. */
  secret: Buffer
  oldSecret: Buffer | null
  oldSecretUntil: Date | null
  failing: boolean
}

export const receiverColumns = `s.id as "subscriptionId", s.url, s.secret, s.old_secret as "oldSecret",
  s.old_secret_until as "oldSecretUntil", s.failing_since is not null as failing`

export function receiverOf(row: Receiver): Receiver {
  const { subscriptionId, url, secret, oldSecret, oldSecretUntil, failing } = row
  return { subscriptionId, url, secret, oldSecret, oldSecretUntil, failing }
}
