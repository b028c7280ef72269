import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { paymentsList } from './payment-endpoints.ts'
import { momoTransfers } from './momo-fields.ts'

export function momoTransfersList(payments: Payments): Endpoint {
  return paymentsList(payments, momoTransfers, {
    operationId: 'listMomoTransfers',
    path: '/v1/momo/transfer',
    tag: 'Mobile money',
    summary: 'All mobile-money transfers, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
  })
}
