import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { validationError } from '#http/validate.ts'
import { faultOfScheme } from '#webhooks/subscription.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { subscriptionData } from '#webhooks/wire.ts'
import {
  events,
  faultIn,
  shownStatuses,
  subscriptionIdOf,
  subscriptionSchema,
  url,
  webhookNotFound,
  webhookParams,
} from './webhook-fields.ts'

export function webhookUpdate({ subscriptions, local }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Change a subscription',
    description:
      'What is left out stays as it is. The next event goes by what is set here. While disabled, events are recorded and ' +
      'not sent; once active again, POST /v1/webhooks/events/retry sends them.',
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
