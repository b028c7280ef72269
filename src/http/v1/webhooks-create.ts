import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { validationError } from '#http/validate.ts'
import { faultOfEnvironment, faultOfScheme, subscriptionsMax } from '#webhooks/subscription.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { createdData } from '#webhooks/wire.ts'
import { createdSchema, environment, events, faultIn, url } from './webhook-fields.ts'

export function webhooksCreate({ subscriptions, local }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'createWebhook',
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Subscribe to events',
    description: `The answer holds the secret that deliveries are signed with; it is never shown again. At most ${subscriptionsMax} subscriptions.`,
    body: z.object({
      url,
      events,
      environment: environment
        .optional()
        .describe('Of the key: sandbox on staging. Left out, it is taken from the key.'),
    }),
    data: createdSchema,
    errors: ['CONFLICT'],
    handle: async ({ caller: { tenant }, body, by }) => {
      const faults = [
        ...faultIn('url', faultOfScheme(body.url, tenant.environment, local)),
        ...(body.environment === undefined
          ? []
          : faultIn('environment', faultOfEnvironment(tenant.environment, body.environment))),
      ]
      if (faults.length > 0) throw validationError(faults)
      const outcome = await subscriptions.create(tenant, { url: body.url, events: body.events }, by())
      if (outcome.kind === 'created') return { data: createdData(outcome, tenant.environment) }
      throw new ApiError(
        'CONFLICT',
        `There are ${subscriptionsMax} webhooks already: delete one before making another.`,
      )
    },
  })
}
