import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { limitParameter, pageParameter } from '#http/fields.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { subscriptionData } from '#webhooks/wire.ts'
import { listEndpoint } from './read-endpoints.ts'
import { subscriptionSchema } from './webhook-fields.ts'

export function webhooksList({ subscriptions }: Webhooks): Endpoint {
  return listEndpoint({
    operationId: 'listWebhooks',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'All subscriptions, the latest first',
    description: 'Those of the environment that the key belongs to. A deleted one is not shown.',
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
