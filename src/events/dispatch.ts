// From the pipe, which writes deliveries, to the sending of the same process: it may keep a new delivery in hand and send
// it at once, so that no loop has to look for it.

import type { Environment, OfTenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Receiver } from './signature.ts'

/** A delivery that this process holds, with all that an attempt needs. */
export type DeliveryInHand = OfTenant & {
  environment: Environment
  id: Uuid
  receiver: Receiver
  event: string
  reference: string
  createdAt: Date
  /** The event's data, as JSON. */
  data: string
  /** Where what made the event true stands in its trace; null: nobody follows it. */
  trace: string | null
  attempts: number
  /** The business asked for this attempt; it is none of the schedule. */
  manual: boolean
  /** Until then it is ours: the row is due at exactly this time. */
  leaseEnd: Date
}

export type Handover = {
  /** How long this process may keep a new delivery for this subscription; 0: it has no room, and any worker may claim it. */
  keepMs(subscriptionId: Uuid): number
  /** After the commit: those that it kept. Returns at once. */
  take(deliveries: DeliveryInHand[]): void
}

/** In a process that sends nothing. */
export const noHandover: Handover = { keepMs: () => 0, take: () => undefined }

// An attempt: one request that told a receiver of an event, as it is written and as the log shows it.

export type Attempt = {
  deliveryId: Uuid
  attempt: number
  trigger: 'automatic' | 'manual'
  responseCode: number | null
  /** A sentence that the business reads in its log. */
  error: string | null
  durationMs: number
  /** The beginning of what was answered. Null where there was nothing, and where the log was not asked for it. */
  responseBody: string | null
  createdAt: Date
}
