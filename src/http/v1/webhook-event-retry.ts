import { z } from 'zod'
import { unreachable } from '#base/assert.ts'
import { ApiError } from '#base/error.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { deliveryData } from '#webhooks/wire.ts'
import { deliveryIdOf, deliverySchema, eventNotFound, eventParams } from './webhook-event-fields.ts'

export function webhookEventRetry({ retries, log }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'retryWebhookDelivery',
    method: 'POST',
    path: '/v1/webhooks/events/:eventId/retry',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Send an event again, now',
    description:
      'It adds nothing to the schedule; success cancels what remains of it. What was delivered is sent again only with ' +
      '`force`, and is pending until then. Works for a disabled subscription, not for a deleted one.',
    params: eventParams,
    body: z.object({ force: z.boolean('must be true or false').default(false) }),
    bodyOptional: true,
    data: deliverySchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller: { tenant }, params, body }) => {
      const outcome = await retries.retry(tenant, deliveryIdOf(params.eventId), body)
      switch (outcome.kind) {
        case 'queued':
          return { data: deliveryData(outcome.record, tenant.environment, log.maxAttempts(tenant.environment)) }
        case 'delivered':
          throw new ApiError('CONFLICT', 'The event was delivered. Send {"force":true} to send it again.')
        case 'subscription-deleted':
          throw new ApiError('CONFLICT', 'The webhook was deleted: there is nobody to send the event to.')
        case 'not-found':
          throw eventNotFound()
        default:
          return unreachable(outcome)
      }
    },
  })
}
