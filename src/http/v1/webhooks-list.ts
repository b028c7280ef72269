import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { limitParameter, pageParameter } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { subscriptionData } from '#webhooks/wire.ts'
import { subscriptionSchema } from './webhook-fields.ts'

export function webhooksList({ subscriptions }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/v1/webhooks',
    scope: 'read',
    tag: 'Webhooks',
    summary: 'All subscriptions, the latest first',
    description: 'Those of the environment that the key belongs to. A deleted one is not shown.',
    query: z.object({ page: pageParameter, limit: limitParameter }),
    data: z.object({ webhooks: z.array(subscriptionSchema) }),
    paginated: true,
    handle: async ({ caller: { tenant }, query: { page, limit } }) => {
      const all = await subscriptions.list(tenant)
      const shown = all.slice((page - 1) * limit, page * limit)
      return {
        data: { webhooks: shown.map((one) => subscriptionData(one, tenant.environment)) },
        pagination: paginationOf(page, limit, all.length),
      }
    },
  })
}
