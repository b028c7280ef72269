// What the service sends of itself: one operation for each event, which the receiver serves.

import { payloads } from '#http/v1/webhook-payload-fields.ts'
import { eventExample } from './examples/events.ts'
import type { Json, Schemas } from './schemas.ts'

const meanings: Record<(typeof payloads)[number]['event'], string> = {
  'transfer.success': 'A bank transfer succeeded.',
  'transfer.failed': 'A bank transfer failed; amount and fee are available again.',
  'transfer.reversed': 'The bank returned a transfer that had succeeded.',
  'deposit.success': 'A deposit to a dynamic virtual account succeeded.',
  'customer.deposit.success': "A deposit to a customer's static virtual account succeeded.",
  'momo.transfer.success': 'A mobile-money transfer succeeded.',
  'momo.transfer.failed': 'A mobile-money transfer failed.',
  'momo.collection.success': 'A collection succeeded; the money is in the balance, and there is a deposit of it.',
  'momo.collection.failed': 'A collection failed.',
  'webhook.test': 'A test of one subscription. Nobody can subscribe to it.',
}

const rules =
  'Sent at least once, in no particular order, with the same body at every attempt. Verify the signature over the raw ' +
  'body, keep the `id`, answer 2xx within 30 seconds, and work afterwards.'

const headers: Record<string, { description: string; example: string }> = {
  'X-Webhook-Signature': {
    description: 't, and one or two v1: the HMAC-SHA256, in hex, of t, a dot and the raw body, with the secret as key.',
    example: 't=1768469401,v1=4de42d821410e7f78a1f5d5bcc7ee1e375b36f1a56cf1db2c345a5d3101d823f',
  },
  'X-Webhook-Id': { description: 'The `id` of the body.', example: 'evt_01m80ryj1ee01vhcb9kf81xg7s' },
  'X-Webhook-Event': { description: 'The `event` of the body.', example: 'transfer.success' },
  'X-Webhook-Attempt': { description: 'Counted from 1.', example: '1' },
  'webhook-id': { description: 'As Standard Webhooks has it.', example: 'evt_01m80ryj1ee01vhcb9kf81xg7s' },
  'webhook-timestamp': { description: 'As Standard Webhooks has it.', example: '1768469401' },
  'webhook-signature': {
    description: 'As Standard Webhooks has it.',
    example: 'v1,cjEEzecrcHRHa4/m5qWkPqqUKuzqg6nkQMJqBt9Pw8k=',
  },
}

const responses = {
  '2XX': { description: 'Received. Best 200, with nothing in it.' },
  '410': { description: 'The subscription is disabled, and nothing more is sent to it.' },
  default: { description: 'Not received: it is sent again, later and later, for up to three days.' },
}

export function webhooksSection(schemas: Schemas): Json {
  const parameters = Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` }))
  const section = payloads.map(({ event, schema }): [string, Json] => [
    event,
    {
      post: {
        operationId: operationIdOf(event),
        tags: ['Events'],
        summary: meanings[event],
        description: rules,
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemas.of(schema, 'output'), example: eventExample(event) } },
        },
        responses,
      },
    },
  ])
  return Object.fromEntries(section)
}

/** The headers of a delivery, which each of them refers to. */
export const deliveryHeaders: Json = Object.fromEntries(
  Object.entries(headers).map(([name, { description, example }]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' }, example },
  ]),
)

/** `transfer.success` → `receiveTransferSuccess`. */
function operationIdOf(event: string): string {
  const words = event.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `receive${words.join('')}`
}
