// The bytes of a delivery. They are made of what the rows of an event and of a delivery say, none of which
// changes until somebody is forgotten (privacy/), so every attempt sends the same ones: this function must never change what it
// makes of a row, and docs/vectors/payloads.json holds it to that.

import type { Environment } from '#platform/context.ts'
import { formatId, type Uuid } from '#platform/ids.ts'

export type PayloadParts = {
  /** The delivery's. */
  id: Uuid
  event: string
  environment: Environment
  createdAt: Date
  reference: string
  /** JSON, as it was when the event was written. */
  data: string
}

/** As subscriptions and payloads name them. */
export const environmentNames = { staging: 'sandbox', production: 'production' } as const

export function payloadOf({ id, event, environment, createdAt, reference, data }: PayloadParts): string {
  const at = createdAt.toISOString()
  const head = {
    id: formatId('event', id),
    event,
    type: event,
    environment: environmentNames[environment],
    createdAt: at,
    timestamp: at,
    reference,
  }
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`
}
