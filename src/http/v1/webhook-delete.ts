import { z } from 'zod'
import { formatId } from '#base/ids.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { subscriptionIdOf, webhookNotFound, webhookParams } from './webhook-fields.ts'

export function webhookDelete({ subscriptions }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Delete a subscription',
    description: 'Its secret is forgotten and nothing more is sent to it. What was sent stays in the log.',
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
