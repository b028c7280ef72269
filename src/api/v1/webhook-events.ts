// The endpoints for webhook deliveries (the log, one delivery, retries) and for the feed of events.

import { z } from 'zod'
import { type Endpoint, endpoint } from '#api/server/endpoint.ts'
import {
  fromParameter,
  limitParameter,
  pageParameter,
  text,
  toParameter,
  validationError,
  record,
} from '#api/server/fields.ts'
import { unreachable, present } from '#platform/assert.ts'
import { ApiError } from '#platform/errors.ts'
import { retriesMax } from '#webhooks/retry.ts'
import type { Webhooks } from '#webhooks/service.ts'
import { deliveryData, deliveryDetailData } from '#webhooks/wire.ts'
import { formatId, idForm, parseId } from '#platform/ids.ts'
import type { EventKey } from '#webhooks/listen.ts'
import { listEndpoint, readEndpoint } from './payments.ts'
import {
  deliverySchema,
  deliveryStatus,
  loggedEvent,
  webhookIdFilter,
  deliveryDetailSchema,
  deliveryIdOf,
  eventNotFound,
  eventParams,
  requiredFrom,
  requiredTo,
  webhookEvent,
} from './webhook-fields.ts'

const referenceLengthMax = 100

export function webhookEventsList({ log }: Webhooks): Endpoint {
  return listEndpoint({
    operationId: 'listWebhookDeliveries',
    path: '/v1/webhooks/events',
    tag: 'Webhooks',
    summary: 'The log of deliveries, the latest first',
    description:
      'One record for each event and subscription. A filter by `event` searches the latest million records of the time range.',
    query: z.object({
      page: pageParameter,
      limit: limitParameter,
      status: deliveryStatus.optional(),
      event: loggedEvent.optional(),
      webhookId: webhookIdFilter.optional(),
      reference: text(referenceLengthMax).optional(),
      from: fromParameter,
      to: toParameter,
    }),
    name: 'events',
    item: deliverySchema,
    list: async (tenant, { webhookId, to, ...question }) => {
      const { records, total } = await log.list(tenant, { ...question, subscriptionId: webhookId, before: to })
      const maxAttempts = log.maxAttempts(tenant.environment)
      return { items: records.map((delivery) => deliveryData(delivery, tenant.environment, maxAttempts)), total }
    },
  })
}

export function webhookEventGet({ log }: Webhooks): Endpoint {
  return readEndpoint({
    operationId: 'getWebhookDelivery',
    path: '/v1/webhooks/events/:eventId',
    tag: 'Webhooks',
    summary: 'One delivery, with its payload and the responses to it',
    description: 'The `payload` as it was sent, and the first 4 KiB of the response to each attempt.',
    params: eventParams,
    data: deliveryDetailSchema,
    find: (tenant, { eventId }) => log.read(tenant, deliveryIdOf(eventId)),
    show: (detail, { environment }) => deliveryDetailData(detail, environment, log.maxAttempts(environment)),
    notFound: eventNotFound,
  })
}

export function webhookEventRetry({ retries, log }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'retryWebhookDelivery',
    method: 'POST',
    path: '/v1/webhooks/events/:eventId/retry',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Send an event again, now',
    description:
      'The attempt is in addition to the schedule; if it succeeds, the remaining attempts are canceled. A delivered event is ' +
      'sent again only with `force`, and is pending until then. Also works for a disabled subscription, not for a deleted one.',
    params: eventParams,
    body: z.object({ force: z.boolean('must be true or false').default(false) }),
    bodyOptional: true,
    data: deliverySchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller: { tenant }, params, body }) => {
      const outcome = await retries.retry(tenant, deliveryIdOf(params.eventId), body)
      switch (outcome.kind) {
        case 'queued':
          return { data: deliveryData(outcome.record, tenant.environment, log.maxAttempts(tenant.environment)) }
        case 'delivered':
          throw new ApiError('CONFLICT', 'The event was delivered. Send {"force":true} to send it again.')
        case 'subscription-deleted':
          throw new ApiError('CONFLICT', 'The webhook was deleted, so the event cannot be sent to it.')
        case 'not-found':
          throw eventNotFound()
        default:
          return unreachable(outcome)
      }
    },
  })
}

export function webhookEventsRetry({ retries }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'retryWebhookDeliveries',
    method: 'POST',
    path: '/v1/webhooks/events/retry',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Send all failed events of a time range again',
    description:
      'Includes events that were recorded but not sent because their subscription was disabled. Sends the oldest first, ' +
      `at most ${retriesMax} in one call: if \`queued\` is ${retriesMax}, call again.`,
    body: z.object({
      from: requiredFrom,
      to: requiredTo,
      webhookId: webhookIdFilter.optional(),
      event: loggedEvent.optional(),
    }),
    data: z.object({ queued: z.int().describe('How many events are sent again.') }),
    handle: async ({ caller: { tenant }, body: { from, to, webhookId, event } }) => {
      if (from >= to) throw validationError([{ field: 'to', message: 'to must not be before from' }])
      const queued = await retries.retryFailed(tenant, { from, before: to, subscriptionId: webhookId, event })
      return { data: { queued } }
    },
  })
}

// The feed of a business's events, for programs that poll and for `manilla listen`.

/** The position after an event: its time in milliseconds and its id. */
const cursorForm = new RegExp(idForm('event').source.replace('^', String.raw`^\d{1,15}_`))

const cursor = z
  .string('must be a string')
  .regex(cursorForm, 'must be a cursor that an earlier page returned')
  .transform((value): EventKey => {
    const [ms = '', id = ''] = value.split(/_(.*)/)
    return { createdAt: new Date(Number(ms)), id: present(parseId('event', id), 'the form lets only ids through') }
  })
  .meta({ description: 'The `cursor` of an earlier page: returns the events after it. Not together with `from`.' })

export function eventsList({ readEvents }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'listEvents',
    method: 'GET',
    path: '/v1/events',
    scope: 'read',
    tag: 'Webhooks',
    summary: 'All events, the oldest first',
    description:
      'Every event of the business, whether or not a webhook subscribes to it, in the form that webhooks send. To follow new ' +
      'events, call again with `after`. An event can become visible up to 10 seconds after a later one. To miss none, ask again from 10 ' +
      'seconds before the newest event and skip the ids that you know.',
    query: z.object({ after: cursor.optional(), from: fromParameter, limit: limitParameter }),
    data: record('EventPage', {
      events: z.array(webhookEvent),
      cursor: z
        .string()
        .nullable()
        .describe('The position after the last event of the page; `after` takes it. Null if there is no event yet.'),
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
