import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { listParameters } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { collectionStatuses } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { momoCollectionData } from '#payments/wire.ts'
import { momoCollectionSchema } from './momo-fields.ts'

export function momoCollectionsList(payments: Payments): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/momo/collection',
    tag: 'Mobile money',
    summary: 'All collections, the latest first',
    query: z.object(listParameters(collectionStatuses)),
    data: z.object({ collections: z.array(momoCollectionSchema) }),
    paginated: true,
    handle: async ({ caller, query: { to, ...question } }) => {
      const found = await payments.list(caller.tenant, 'momo_collection', { ...question, before: to })
      return {
        data: { collections: found.payments.map(momoCollectionData) },
        pagination: paginationOf(question.page, question.limit, found.total),
      }
    },
  })
}
