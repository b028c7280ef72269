import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { rotatedData } from '#webhooks/wire.ts'
import { rotatedSchema, subscriptionIdOf, webhookNotFound, webhookParams } from './webhook-fields.ts'

const hoursMax = 72
const hoursDefault = 24
const sentence = `must be a whole number of hours from 0 to ${hoursMax}`

export function webhookRotateSecret({ subscriptions }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Replace the secret',
    description:
      'The answer holds the new secret, once. Until the old one expires deliveries are signed with both, the new one ' +
      'first. Rotating again keeps the last old one alone.',
    params: webhookParams,
    body: z.object({
      expireOldInHours: z.int(sentence).min(0, sentence).max(hoursMax, sentence).default(hoursDefault),
    }),
    bodyOptional: true,
    data: rotatedSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params, body, by }) => {
      const { expireOldInHours } = body
      const rotated = await subscriptions.rotateSecret(tenant, subscriptionIdOf(params.id), expireOldInHours, by())
      if (rotated === undefined) throw webhookNotFound()
      return { data: rotatedData(rotated, tenant.environment) }
    },
  })
}
