// Passes new deliveries from the outbox to the delivery worker of the same process, which may lease one and send it
// at once, so that no loop has to find it.

import type { Environment, OfTenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Receiver } from './signature.ts'

/** A delivery that this process has leased, with all that an attempt needs. */
export type LeasedDelivery = OfTenant & {
  environment: Environment
  id: Uuid
  receiver: Receiver
  event: string
  reference: string
  createdAt: Date
  /** The data of the event, as JSON. */
  data: string
  /** The trace context of the cause of the event; null if it is not traced. */
  trace: string | null
  attempts: number
  /** True if the business requested this attempt, outside the schedule. */
  manual: boolean
  /** The lease of this process ends then: the row is due at exactly this time. */
  leaseEnd: Date
}

export type InProcessDispatch = {
  /**
   * The time for which this process may lease a new delivery for this subscription; 0 if it is full, so that any
   * worker may claim it.
   */
  keepMs(subscriptionId: Uuid): number
  /** Called after the commit with the leased deliveries. Returns at once. */
  take(deliveries: LeasedDelivery[]): void
}

/** Used in a process that sends no webhooks. */
export const noDispatch: InProcessDispatch = { keepMs: () => 0, take: () => undefined }

// One request that sent an event to a receiver, as it is stored and as the log shows it.

export type Attempt = {
  deliveryId: Uuid
  attempt: number
  trigger: 'automatic' | 'manual'
  responseCode: number | null
  /** A message for the business's log. */
  error: string | null
  durationMs: number
  /** The beginning of the response body. Null if there was none, or if the log was queried without it. */
  responseBody: string | null
  createdAt: Date
}
