import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { paymentGet } from './payment-endpoints.ts'
import { momoTransfers } from './momo-fields.ts'

export function momoTransferGet(payments: Payments): Endpoint {
  return paymentGet(payments, momoTransfers, {
    operationId: 'getMomoTransfer',
    path: '/v1/momo/transfer/:reference',
    tag: 'Mobile money',
    summary: 'One mobile-money transfer, by the reference it was sent under',
    description: 'After a timeout or a 5xx this tells whether it was accepted.',
  })
}
