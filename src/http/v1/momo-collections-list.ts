import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { paymentsList } from './payment-endpoints.ts'
import { momoCollections } from './momo-fields.ts'

export function momoCollectionsList(payments: Payments): Endpoint {
  return paymentsList(payments, momoCollections, {
    operationId: 'listMomoCollections',
    path: '/v1/momo/collection',
    tag: 'Mobile money',
    summary: 'All collections, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
  })
}
