import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { fromParameter, limitParameter, pageParameter, text, toParameter } from '#http/fields.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { deliveryData } from '#webhooks/wire.ts'
import { listEndpoint } from './read-endpoints.ts'
import { deliverySchema, deliveryStatus } from './webhook-event-fields.ts'
import { loggedEvent, webhookIdFilter } from './webhook-filter-fields.ts'

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
      return { items: records.map((record) => deliveryData(record, tenant.environment, maxAttempts)), total }
    },
  })
}
