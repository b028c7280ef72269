import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { momoCollections, momoCompletion } from './momo-fields.ts'
import { paymentComplete } from './payment-endpoints.ts'

export function sandboxMomoCollectionComplete(payments: Payments): Endpoint {
  return paymentComplete(payments, momoCollections, {
    operationId: 'completeMomoCollection',
    path: '/v1/sandbox/momo/collection/:reference/complete',
    tag: 'Simulator',
    summary: 'End a collection now, as its operator would',
    description: 'Staging only. Saying the same twice changes nothing; what contradicts how it ended answers 409.',
    ...momoCompletion,
  })
}
