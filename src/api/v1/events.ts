// The feed of a business's events, for programs that poll and for `manilla listen`.

import { z } from 'zod'
import { type Endpoint, endpoint } from '#api/server/endpoint.ts'
import { fromParameter, limitParameter, record, validationError } from '#api/server/fields.ts'
import { present } from '#platform/assert.ts'
import { formatId, idForm, parseId } from '#platform/ids.ts'
import type { EventKey } from '#webhooks/listen.ts'
import type { Webhooks } from '#webhooks/service.ts'
import { webhookEvent } from './webhook-fields.ts'

/** The time of an event in milliseconds and its id: where a page ended. */
const cursorForm = new RegExp(idForm('event').source.replace('^', String.raw`^\d{1,15}_`))

const cursor = z
  .string('must be given once')
  .regex(cursorForm, 'must be a cursor that an earlier page returned')
  .transform((text): EventKey => {
    const [ms = '', id = ''] = text.split(/_(.*)/)
    return { createdAt: new Date(Number(ms)), id: present(parseId('event', id), 'the form lets only ids through') }
  })
  .meta({ description: 'The `cursor` of an earlier page: only events after it. Not together with `from`.' })

export function eventsList({ readEvents }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'listEvents',
    method: 'GET',
    path: '/v1/events',
    scope: 'read',
    tag: 'Webhooks',
    summary: 'Everything that happened, the oldest first',
    description:
      'Every event of the business, also those that no webhook names, each as a webhook would send it. To follow them, ask ' +
      'again with `after`. An event can become visible up to 10 seconds after a later one: to miss none, ask again from 10 ' +
      'seconds before the newest one and skip the ids that you know.',
    query: z.object({ after: cursor.optional(), from: fromParameter, limit: limitParameter }),
    data: record('EventPage', {
      events: z.array(webhookEvent),
      cursor: z.string().nullable().describe('Of the last event that was shown. Null: there was none yet.'),
      hasMore: z.boolean().describe('True if there are more events after the last one.'),
    }),
    handle: async ({ caller: { tenant }, query: { after, from, limit } }) => {
      if (after !== undefined && from !== undefined) {
        throw validationError([{ field: 'from', message: 'from must not be given together with after' }])
      }
      const { payloads, last = after, hasMore } = await readEvents(tenant, { after, from, limit })
      const events = payloads.map((payload) => JSON.parse(payload) as Record<string, unknown>)
      return { data: { events, cursor: last === undefined ? null : formatCursor(last), hasMore } }
    },
  })
}

function formatCursor({ createdAt, id }: EventKey): string {
  return `${createdAt.getTime()}_${formatId('event', id)}`
}
