// An attempt: one request that told a receiver of an event, as it is written and as the log shows it.

import type { Uuid } from '#base/ids.ts'

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
