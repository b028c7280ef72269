// A delivery as it is kept: one event for one subscription, and how each telling of it went. Pure.

import type { Uuid } from '#base/ids.ts'

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export type Delivery = {
  tenantId: Uuid
  /** What the payload, the log and a retry call it by. */
  id: Uuid
  subscriptionId: Uuid
  /** Of its event, with the event's name. */
  sourceId: Uuid
  event: string
  reference: string
  /** Where its subscription is today. */
  url: string
  /** `failed`: the last attempt did, and more may follow. */
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

export type Attempt = {
  deliveryId: Uuid
  attempt: number
  trigger: 'automatic' | 'manual'
  responseCode: number | null
  error: string | null
  durationMs: number
  /** Null where it was not asked for. */
  responseBody: string | null
  createdAt: Date
}

/** A delivery and the latest of its attempts, the first of them first. */
export type LogRecord = Delivery & { deliveryAttempts: Attempt[] }
