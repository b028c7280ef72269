import type { Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { subscriptionData } from '#webhooks/wire.ts'
import { readEndpoint } from './read-endpoints.ts'
import { subscriptionIdOf, subscriptionSchema, webhookNotFound, webhookParams } from './webhook-fields.ts'

export function webhookGet({ subscriptions }: Webhooks): Endpoint {
  return readEndpoint({
    operationId: 'getWebhook',
    path: '/v1/webhooks/:id',
    tag: 'Webhooks',
    summary: 'One subscription',
    description: 'Without its secret, which is shown when it is made and when it is replaced.',
    params: webhookParams,
    data: subscriptionSchema,
    find: (tenant, { id }) => subscriptions.read(tenant, subscriptionIdOf(id)),
    show: (found, { environment }) => subscriptionData(found, environment),
    notFound: webhookNotFound,
  })
}
