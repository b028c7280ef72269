// The endpoints for webhook deliveries (the log, one of them, retries) and for the feed of events.

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
      'One record for each event and subscription. With `event` the latest million records of the range are searched.',
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
    summary: 'One delivery, with its body and answers',
    description: 'The `payload` as it was sent, and the beginning of what the receiver answered to each attempt.',
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
      'It adds nothing to the schedule; success cancels what remains of it. What was delivered is sent again only with ' +
      '`force`, and is pending until then. Works for a disabled subscription, not for a deleted one.',
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
    summary: 'Send everything again that failed in a range of time',
    description:
      'Also events that were recorded while their subscription was disabled and are not sent. The oldest first, ' +
      `at most ${retriesMax} a call: when \`queued\` says ${retriesMax}, call again.`,
    body: z.object({
      from: requiredFrom,
      to: requiredTo,
      webhookId: webhookIdFilter.optional(),
      event: loggedEvent.optional(),
    }),
    data: z.object({ queued: z.int().describe('How many will be sent again.') }),
    handle: async ({ caller: { tenant }, body: { from, to, webhookId, event } }) => {
      if (from >= to) throw validationError([{ field: 'to', message: 'to must not be before from' }])
      const queued = await retries.retryFailed(tenant, { from, before: to, subscriptionId: webhookId, event })
      return { data: { queued } }
    },
  })
}

// The feed of a business's events, for programs that poll and for `manilla listen`.

/** The time of an event in milliseconds and its id: where a page ended. */
const cursorForm = new RegExp(idForm('event').source.replace('^', String.raw`^\d{1,15}_`))

const cursor = z
  .string('must be given once')
  .regex(cursorForm, 'must be a cursor that an earlier page returned')
  .transform((value): EventKey => {
    const [ms = '', id = ''] = value.split(/_(.*)/)
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
      cursor: z.string().nullable().describe('The cursor of the last event of the page. Null: there was none yet.'),
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
