import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { paymentsList } from './payment-endpoints.ts'
import { bankTransfers } from './transfer-fields.ts'

export function transfersList(payments: Payments): Endpoint {
  return paymentsList(payments, bankTransfers, {
    operationId: 'listTransfers',
    path: '/v1/transfers',
    tag: 'Transfers',
    summary: 'All bank transfers, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
  })
}
