import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { momoTransfers, momoCompletion } from './momo-fields.ts'
import { paymentComplete } from './payment-endpoints.ts'

export function sandboxMomoTransferComplete(payments: Payments): Endpoint {
  return paymentComplete(payments, momoTransfers, {
    path: '/v1/sandbox/momo/transfer/:reference/complete',
    tag: 'Simulator',
    summary: 'End a mobile-money transfer now, as its operator would',
    ...momoCompletion,
  })
}
