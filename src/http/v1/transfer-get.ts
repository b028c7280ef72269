import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { paymentGet } from './payment-endpoints.ts'
import { bankTransfers } from './transfer-fields.ts'

export function transferGet(payments: Payments): Endpoint {
  return paymentGet(payments, bankTransfers, {
    operationId: 'getTransfer',
    path: '/v1/transfers/:reference',
    tag: 'Transfers',
    summary: 'One bank transfer, by the reference it was sent under',
    description: 'After a timeout or a 5xx this tells whether it was accepted.',
  })
}
