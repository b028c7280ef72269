// The body of a delivery. It depends only on the rows of the event and the delivery, which change only if personal data
// is erased (privacy/), so every attempt sends the same bytes. The body must not change between versions either,
// because a retry may follow an update. docs/vectors/payloads.json tests it.

import { isoTime } from '#platform/clock.ts'
import type { Environment } from '#platform/context.ts'
import { formatId, type Uuid } from '#platform/ids.ts'

export type PayloadParts = {
  id: Uuid
  event: string
  environment: Environment
  createdAt: Date
  reference: string
  data: string
}

export const environmentNames = { staging: 'sandbox', production: 'production' } as const

export function payloadOf({ id, event, environment, createdAt, reference, data }: PayloadParts): string {
  const at = isoTime(createdAt)
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
