// Between the pipe, which writes deliveries, and whoever sends them: a process may keep a new delivery to itself and
// send it at once, without anybody having to look for it.

import type { Environment } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'

/** Who receives, and with which secrets it is signed (sealed). */
export type Receiver = {
  subscriptionId: Uuid
  url: string
  secret: Buffer
  oldSecret: Buffer | null
  oldSecretUntil: Date | null
  /** The last attempt that anybody recorded failed. */
  failing: boolean
}

/** A delivery in somebody's hands, with all that an attempt needs. */
export type Parcel = {
  lane: number
  tenantId: Uuid
  environment: Environment
  id: Uuid
  receiver: Receiver
  event: string
  reference: string
  createdAt: Date
  /** The event's data, as JSON. */
  data: string
  attempts: number
  automaticAttempts: number
  /** Somebody asked for this attempt; it is none of the schedule. */
  manual: boolean
  nextAttemptAt: Date | null
  /** Until then it is ours: the row is due at exactly this time. */
  leaseEnd: Date
}

export type Courier = {
  /** How long this process may keep a new delivery for this subscription; 0: it has no room, and any worker may claim it. */
  keepMs(subscriptionId: Uuid): number
  /** After the commit: those that it kept. Returns at once. */
  take(parcels: Parcel[]): void
}

/** Of a process that sends nothing. */
export const noCourier: Courier = { keepMs: () => 0, take: () => undefined }
