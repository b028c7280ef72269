// A delivery as it is kept: one event for one subscription, and how each telling of it went. Pure.

import type { Uuid } from '#base/ids.ts'
import type { Attempt } from '#events/attempt.ts'
import type { DeliveryStatus } from '#events/states.ts'

/** For the doors, which know rooms but not the pipe. */
export { deliveryStatuses } from '#events/states.ts'

export type Delivery = {
  tenantId: Uuid
  /** What the payload, the log and a retry call it by. */
  id: Uuid
  subscriptionId: Uuid
  /** With the event's name, the key of the event. */
  sourceId: Uuid
  event: string
  reference: string
  /** Where its subscription is today. */
  url: string
  status: DeliveryStatus
  attempts: number
  responseCode: number | null
  lastError: string | null
  lastAttemptAt: Date | null
  nextAttemptAt: Date | null
  deliveredAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** A delivery and the latest of its attempts, the first of them first. */
export type LogRecord = Delivery & { deliveryAttempts: Attempt[] }
