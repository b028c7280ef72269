import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { momoCollectionData } from '#payments/wire.ts'
import { collectionNotFound, momoCollectionSchema } from './momo-fields.ts'

export function momoCollectionGet(payments: Payments): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/momo/collection/:reference',
    tag: 'Mobile money',
    summary: 'One collection, by the reference it was made under',
    params: referenceParams,
    data: momoCollectionSchema,
    errors: ['COLLECTION_NOT_FOUND'],
    handle: async ({ caller, params }) => {
      const payment = await payments.read(caller.tenant, 'momo_collection', params.reference)
      if (payment === undefined) throw collectionNotFound()
      return { data: momoCollectionData(payment) }
    },
  })
}
