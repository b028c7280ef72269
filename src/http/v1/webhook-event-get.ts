import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { deliveryDetailData } from '#webhooks/wire.ts'
import { deliveryDetailSchema, deliveryIdOf, eventNotFound, eventParams } from './webhook-event-fields.ts'

export function webhookEventGet({ log }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'getWebhookDelivery',
    method: 'GET',
    path: '/v1/webhooks/events/:eventId',
    scope: 'read',
    tag: 'Webhooks',
    summary: 'One delivery, with what was sent and answered',
    description: 'The `payload` as it was sent, and the beginning of what the receiver answered to each attempt.',
    params: eventParams,
    data: deliveryDetailSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params }) => {
      const detail = await log.read(tenant, deliveryIdOf(params.eventId))
      if (detail === undefined) throw eventNotFound()
      return { data: deliveryDetailData(detail, tenant.environment, log.maxAttempts(tenant.environment)) }
    },
  })
}
