// The endpoints for webhook subscriptions.

import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { validationError, limitParameter, pageParameter } from '#api/server/fields.ts'
import { present } from '#platform/assert.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import type { Webhooks } from '#webhooks/service.ts'
import { faultOfEnvironment, faultOfScheme, subscriptionsMax } from '#webhooks/subscription.ts'
import { createdData, subscriptionData, rotatedData, testedData } from '#webhooks/wire.ts'
import { listEndpoint, readEndpoint } from './payments.ts'
import {
  createdSchema,
  environment,
  events,
  faultIn,
  url,
  subscriptionSchema,
  subscriptionIdOf,
  webhookNotFound,
  webhookParams,
  shownStatuses,
  rotatedSchema,
  testedSchema,
} from './webhook-fields.ts'

export function webhooksCreate({ subscriptions, local }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Subscribe to events',
    description: `The response has the secret that signs deliveries; it is never shown again. At most ${subscriptionsMax} subscriptions.`,
    body: z.object({
      url,
      events,
      environment: environment
        .optional()
        .describe('Must be the environment of the key, which is also the default: `sandbox` on staging.'),
    }),
    data: createdSchema,
    errors: ['CONFLICT'],
    handle: async ({ caller: { tenant }, body, by }) => {
      const faults = [
        ...faultIn('url', faultOfScheme(body.url, tenant.environment, local)),
        ...(body.environment === undefined
          ? []
          : faultIn('environment', faultOfEnvironment(tenant.environment, body.environment))),
      ]
      if (faults.length > 0) throw validationError(faults)
      const outcome = await subscriptions.create(tenant, { url: body.url, events: body.events }, by())
      if (outcome.kind === 'created') return { data: createdData(outcome, tenant.environment) }
      throw new ApiError(
        'CONFLICT',
        `There are already ${subscriptionsMax} webhooks. Delete one before you create another.`,
      )
    },
  })
}

export function webhooksList({ subscriptions }: Webhooks): Endpoint {
  return listEndpoint({
    operationId: 'listWebhooks',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'All subscriptions, the latest first',
    description: 'The subscriptions of the environment that the key belongs to, without deleted ones.',
    query: z.object({ page: pageParameter, limit: limitParameter }),
    name: 'webhooks',
    item: subscriptionSchema,
    list: async (tenant, { page, limit }) => {
      const all = await subscriptions.list(tenant)
      const shown = all.slice((page - 1) * limit, page * limit)
      return { items: shown.map((one) => subscriptionData(one, tenant.environment)), total: all.length }
    },
  })
}

export function webhookGet({ subscriptions }: Webhooks): Endpoint {
  return readEndpoint({
    operationId: 'getWebhook',
    path: '/v1/webhooks/:id',
    tag: 'Webhooks',
    summary: 'One subscription',
    description: 'The secret is not included: it is shown only when it is created or replaced.',
    params: webhookParams,
    data: subscriptionSchema,
    find: (tenant, { id }) => subscriptions.read(tenant, subscriptionIdOf(id)),
    show: (found, { environment: ofKey }) => subscriptionData(found, ofKey),
    notFound: webhookNotFound,
  })
}

export function webhookUpdate({ subscriptions, local }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Change a subscription',
    description:
      'Fields that you leave out stay unchanged. The next event uses the new values. While a subscription is disabled, its ' +
      'events are recorded but not sent; once it is active again, send them with POST /v1/webhooks/events/retry.',
    params: webhookParams,
    body: z.object({
      url: url.optional(),
      events: events.optional(),
      status: z.enum(shownStatuses, `must be one of ${shownStatuses.join(', ')}`).optional(),
    }),
    data: subscriptionSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params, body, by }) => {
      const id = subscriptionIdOf(params.id)
      const faults = body.url === undefined ? [] : faultIn('url', faultOfScheme(body.url, tenant.environment, local))
      if (faults.length > 0) throw validationError(faults)
      const subscription = await subscriptions.change(tenant, id, body, by())
      if (subscription === undefined) throw webhookNotFound()
      return { data: subscriptionData(subscription, tenant.environment) }
    },
  })
}

export function webhookDelete({ subscriptions }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Delete a subscription',
    description: 'Its secret is deleted and no more events are sent to it. Earlier deliveries stay in the log.',
    params: webhookParams,
    data: z.object({ id: z.string(), deleted: z.literal(true) }),
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params, by }) => {
      const subscription = await subscriptions.remove(tenant, subscriptionIdOf(params.id), by())
      if (subscription === undefined) throw webhookNotFound()
      return { data: { id: formatId('webhook', subscription.id), deleted: true as const } }
    },
  })
}

const hoursMax = 72
const hoursDefault = 24
const sentence = `must be a whole number of hours from 0 to ${hoursMax}`

export function webhookRotateSecret({ subscriptions }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Replace the secret',
    description:
      'The response has the new secret, which is never shown again. Until the old secret expires, deliveries are signed with ' +
      'both, the new one first. If you rotate again, only the secret before the newest one is kept.',
    params: webhookParams,
    body: z.object({
      expireOldInHours: z.int(sentence).min(0, sentence).max(hoursMax, sentence).default(hoursDefault),
    }),
    bodyOptional: true,
    data: rotatedSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params, body, by }) => {
      const { expireOldInHours } = body
      const rotated = await subscriptions.rotateSecret(tenant, subscriptionIdOf(params.id), expireOldInHours, by())
      if (rotated === undefined) throw webhookNotFound()
      return { data: rotatedData(rotated, tenant.environment) }
    },
  })
}

export function webhookTest({ endpointTests }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'testWebhook',
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Send a test event now',
    description:
      'Sends a signed `webhook.test`, even if the subscription is disabled, and returns the attempt. The status is 200 whether ' +
      'or not it was delivered. A test is not retried. The log shows it.',
    params: webhookParams,
    data: testedSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params }) => {
      const tested = await endpointTests.test(tenant, subscriptionIdOf(params.id))
      if (tested === undefined) throw webhookNotFound()
      return { data: present(testedData(tested), 'a test was sent and not recorded') }
    },
  })
}
