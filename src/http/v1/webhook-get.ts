import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { subscriptionData } from '#webhooks/wire.ts'
import { subscriptionIdOf, subscriptionSchema, webhookNotFound, webhookParams } from './webhook-fields.ts'

export function webhookGet({ subscriptions }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'getWebhook',
    method: 'GET',
    path: '/v1/webhooks/:id',
    scope: 'read',
    tag: 'Webhooks',
    summary: 'One subscription',
    description: 'Without its secret, which is shown when it is made and when it is replaced.',
    params: webhookParams,
    data: subscriptionSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params }) => {
      const found = await subscriptions.read(tenant, subscriptionIdOf(params.id))
      if (found === undefined) throw webhookNotFound()
      return { data: subscriptionData(found, tenant.environment) }
    },
  })
}
