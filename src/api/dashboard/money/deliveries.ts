// The endpoints for webhook deliveries: the log of all subscriptions, one delivery with its request, its responses and
// a curl command that sends it again, and the counts of a subscription by the hour.

import { z } from 'zod'
import { formatId } from '#platform/ids.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { fromParameter, limitParameter, pageParameter, toParameter, paginationOf } from '#api/server/fields.ts'
import {
  deliveryIdOf,
  deliveryStatus,
  eventNotFound,
  loggedEvent,
  webhookIdFilter,
  subscriptionIdOf,
  webhookNotFound,
  webhookParams,
} from '#api/v1/webhook-fields.ts'
import type { LogRecord } from '#webhooks/log.ts'
import type { Webhooks } from '#webhooks/service.ts'

const codeClasses = { none: 0, '1xx': 1, '2xx': 2, '3xx': 3, '4xx': 4, '5xx': 5 } as const
const codeClass = z
  .enum(Object.keys(codeClasses) as (keyof typeof codeClasses)[], 'must be one of none, 1xx, 2xx, 3xx, 4xx, 5xx')
  .transform((name) => codeClasses[name])

const question = z.object({
  page: pageParameter,
  limit: limitParameter,
  subscription: webhookIdFilter.optional(),
  event: loggedEvent.optional(),
  status: deliveryStatus.optional(),
  codeClass: codeClass.optional(),
  reference: z.string('must be given once').optional(),
  from: fromParameter,
  to: toParameter,
})

type WebhookModules = Pick<Webhooks, 'log' | 'signAgain' | 'subscriptions'>

export function deliveryEndpoints({ log, signAgain, subscriptions }: WebhookModules): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/webhooks/:id/hours',
      permission: 'webhooks.see',
      params: webhookParams,
      handle: async ({ tenant, params }) => {
        const id = subscriptionIdOf(params.id)
        if ((await subscriptions.read(tenant, id)) === undefined) throw webhookNotFound()
        const hours = await log.byHour(tenant, id)
        return { data: { hours: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })) } }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/deliveries',
      permission: 'webhooks.see',
      query: question,
      handle: async ({ tenant, query: { subscription: subscriptionId, to: before, ...rest } }) => {
        const { records, total } = await log.list(tenant, { ...rest, subscriptionId, before })
        const { page, limit } = rest
        return { data: { deliveries: records.map(shown) }, pagination: paginationOf(page, limit, total) }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/deliveries/:id',
      permission: 'webhooks.see',
      params: z.object({ id: z.string() }),
      handle: async ({ tenant, params }) => {
        const detail = await log.read(tenant, deliveryIdOf(params.id))
        if (detail === undefined) throw eventNotFound()
        const signed = await signAgain(tenant, detail)
        const { record, payload } = detail
        const again = {
          headers: signed?.headers ?? null,
          curl: signed?.curl ?? null,
          secretHint: signed?.secretHint ?? null,
        }
        return { data: { ...shown(record), body: payload, ...again, attempts: attemptsOf(record) } }
      },
    }),
  ]
}

function shown(record: LogRecord) {
  return {
    id: formatId('event', record.id),
    eventId: formatId('event', record.id),
    eventType: record.event,
    reference: record.reference,
    subscriptionId: formatId('webhook', record.subscriptionId),
    url: record.url,
    status: record.status,
    attempts: record.attempts,
    lastStatusCode: record.responseCode,
    lastError: record.lastError,
    createdAt: record.createdAt.toISOString(),
    lastAttemptAt: record.lastAttemptAt?.toISOString() ?? null,
    nextAttemptAt: record.nextAttemptAt?.toISOString() ?? null,
    deliveredAt: record.deliveredAt?.toISOString() ?? null,
  }
}

/** The service stores only this much of a response. */
const responseBytesMax = 4_096

function attemptsOf({ deliveryAttempts }: LogRecord) {
  return deliveryAttempts.map(({ attempt, trigger, responseCode, error, durationMs, responseBody, createdAt }) => ({
    number: attempt,
    trigger,
    at: createdAt.toISOString(),
    statusCode: responseCode,
    milliseconds: durationMs,
    error,
    response: responseBody,
    isCut: responseBody !== null && Buffer.byteLength(responseBody) >= responseBytesMax,
  }))
}
