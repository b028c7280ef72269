// The fields that choose deliveries, stated once for the list and for sending many again.

import { z } from 'zod'
import { parseId } from '#base/ids.ts'
import { fromParameter, toParameter } from '#http/fields.ts'
import { loggedEvents } from '#webhooks/subscription.ts'

/** Parsed into the id that the database stores. */
export const webhookIdFilter = z
  .string('must be given once')
  .transform((value, context) => {
    const id = parseId('webhook', value)
    if (id !== undefined) return id
    context.addIssue({ code: 'custom', message: 'must be the id of a webhook, which begins with whk_' })
    return z.NEVER
  })
  .meta({ wire: { type: 'string', description: 'whk_…' } })

export const loggedEvent = z.enum(loggedEvents, `must be one of ${loggedEvents.join(', ')}`)

const timeSentence = 'must be a date (2026-01-31) or a time (2026-01-31T12:00:00Z), as a string'

/** One end of a range in a body, as a list takes it in its query. Both ends together are parsed as [from, to). */
function requiredTime(end: typeof fromParameter) {
  return z
    .string(timeSentence)
    .transform((value, context) => {
      const parsed = end.safeParse(value)
      if (parsed.success && parsed.data !== undefined) return parsed.data
      context.addIssue({ code: 'custom', message: timeSentence })
      return z.NEVER
    })
    .meta({ wire: { type: 'string', description: 'A time, or a date as a whole; both ends are included.' } })
}

export const requiredFrom = requiredTime(fromParameter)
export const requiredTo = requiredTime(toParameter)
