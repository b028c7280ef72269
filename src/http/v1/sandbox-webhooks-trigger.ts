import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { deliveryData } from '#webhooks/wire.ts'
import { deliverySchema } from './webhook-event-fields.ts'
import { eventName } from './webhook-fields.ts'

export function sandboxWebhooksTrigger({ trials, log }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'triggerWebhookEvent',
    method: 'POST',
    path: '/v1/sandbox/webhooks/trigger',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Send a sample of an event',
    description: 'A real, signed delivery of a made-up event to every subscription that named it.',
    body: z.object({ event: eventName }),
    stagingOnly: true,
    data: z.object({
      event: eventName,
      queued: z.int().describe('How many are sent; those of disabled subscriptions are only recorded.'),
      events: z.array(deliverySchema),
    }),
    handle: async ({ caller: { tenant }, body }) => {
      const { event, queued, records } = await trials.triggerSample(tenant, body.event)
      const maxAttempts = log.maxAttempts(tenant.environment)
      return {
        data: { event, queued, events: records.map((one) => deliveryData(one, tenant.environment, maxAttempts)) },
      }
    },
  })
}
