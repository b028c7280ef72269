import type { Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { paymentGet } from './payment-endpoints.ts'
import { momoCollections } from './momo-fields.ts'

export function momoCollectionGet(payments: Payments): Endpoint {
  return paymentGet(payments, momoCollections, {
    operationId: 'getMomoCollection',
    path: '/v1/momo/collection/:reference',
    tag: 'Mobile money',
    summary: 'One collection, by the reference it was made under',
    description: 'After a timeout or a 5xx this tells whether it was accepted.',
  })
}
