import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { validationError } from '#http/validate.ts'
import { retriesMax } from '#webhooks/retry.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { loggedEvent, requiredFrom, requiredTo, webhookIdFilter } from './webhook-filter-fields.ts'

export function webhookEventsRetry({ retries }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'retryWebhookDeliveries',
    method: 'POST',
    path: '/v1/webhooks/events/retry',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Send everything again that failed in a range of time',
    description:
      'Also what was recorded while its subscription was disabled and is sent by nobody. The oldest first, ' +
      `at most ${retriesMax} a call: when \`queued\` says ${retriesMax}, call again.`,
    body: z.object({
      from: requiredFrom,
      to: requiredTo,
      webhookId: webhookIdFilter.optional(),
      event: loggedEvent.optional(),
    }),
    data: z.object({ queued: z.int().describe('How many will be sent again.') }),
    handle: async ({ caller: { tenant }, body: { from, to, webhookId, event } }) => {
      if (from >= to) throw validationError([{ field: 'to', message: 'to must not be before from' }])
      const queued = await retries.retryFailed(tenant, { from, before: to, subscriptionId: webhookId, event })
      return { data: { queued } }
    },
  })
}
