import { present } from '#base/assert.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { testedData } from '#webhooks/wire.ts'
import { testedSchema } from './webhook-event-fields.ts'
import { subscriptionIdOf, webhookNotFound, webhookParams } from './webhook-fields.ts'

export function webhookTest({ trials }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'testWebhook',
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    scope: 'webhooks',
    tag: 'Webhooks',
    summary: 'Send a test now',
    description:
      'Sends a signed webhook.test, whatever the subscription asked for and also while it is disabled, and answers with ' +
      'the attempt: 200 whether or not it was delivered. It is made once; the log shows it.',
    params: webhookParams,
    data: testedSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller: { tenant }, params }) => {
      const tested = await trials.test(tenant, subscriptionIdOf(params.id))
      if (tested === undefined) throw webhookNotFound()
      return { data: present(testedData(tested), 'a test was sent and not recorded') }
    },
  })
}
