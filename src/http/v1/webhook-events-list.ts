import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { fromParameter, limitParameter, pageParameter, text, toParameter } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { deliveryData } from '#webhooks/wire.ts'
import { deliverySchema, deliveryStatus } from './webhook-event-fields.ts'
import { loggedEvent, webhookIdFilter } from './webhook-filter-fields.ts'

const referenceLengthMax = 100

export function webhookEventsList({ log }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    path: '/v1/webhooks/events',
    scope: 'read',
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
    data: z.object({ events: z.array(deliverySchema) }),
    paginated: true,
    handle: async ({ caller: { tenant }, query: { webhookId, to, ...question } }) => {
      const { records, total } = await log.list(tenant, { ...question, subscriptionId: webhookId, before: to })
      const maxAttempts = log.maxAttempts(tenant.environment)
      return {
        data: { events: records.map((record) => deliveryData(record, tenant.environment, maxAttempts)) },
        pagination: paginationOf(question.page, question.limit, total),
      }
    },
  })
}
