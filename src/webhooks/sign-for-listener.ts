// An event as a listener sends it: what a first attempt at a delivery of it would be, under the id of the event itself.

import type { Environment } from '#base/context.ts'
import { formatId } from '#base/ids.ts'
import { payloadOf } from '#events/payload.ts'
import { headersOf, signingKey } from '#events/sign.ts'
import type { EventText } from './sql-listen.ts'

export type HeardEvent = EventText & { environment: Environment }

export type SignedEvent = { headers: Record<string, string>; body: Buffer }

export function signForListener(secret: string): (event: HeardEvent, nowMs: number) => SignedEvent {
  const keys = [signingKey(secret)]
  return (event, nowMs) => {
    const body = Buffer.from(payloadOf({ ...event, event: event.name }), 'utf8')
    const id = formatId('event', event.id)
    const unixSeconds = Math.floor(nowMs / 1_000)
    return { body, headers: headersOf({ id, event: event.name, attempt: 1, unixSeconds, body, keys }) }
  }
}
