import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { momoTransfers, momoCompletion } from './momo-fields.ts'
import { paymentComplete } from './payment-endpoints.ts'

export function sandboxMomoTransferComplete(payments: Payments): Endpoint {
  return paymentComplete(payments, momoTransfers, {
    operationId: 'completeMomoTransfer',
    path: '/v1/sandbox/momo/transfer/:reference/complete',
    tag: 'Simulator',
    summary: 'End a mobile-money transfer now, as its operator would',
    description: 'Staging only. Saying the same twice changes nothing; what contradicts how it ended answers 409.',
    ...momoCompletion,
  })
}
