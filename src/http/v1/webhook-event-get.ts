import type { Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { deliveryDetailData } from '#webhooks/wire.ts'
import { readEndpoint } from './read-endpoints.ts'
import { deliveryDetailSchema, deliveryIdOf, eventNotFound, eventParams } from './webhook-event-fields.ts'

export function webhookEventGet({ log }: Webhooks): Endpoint {
  return readEndpoint({
    operationId: 'getWebhookDelivery',
    path: '/v1/webhooks/events/:eventId',
    tag: 'Webhooks',
    summary: 'One delivery, with what was sent and answered',
    description: 'The `payload` as it was sent, and the beginning of what the receiver answered to each attempt.',
    params: eventParams,
    data: deliveryDetailSchema,
    find: (tenant, { eventId }) => log.read(tenant, deliveryIdOf(eventId)),
    show: (detail, { environment }) => deliveryDetailData(detail, environment, log.maxAttempts(environment)),
    notFound: eventNotFound,
  })
}
