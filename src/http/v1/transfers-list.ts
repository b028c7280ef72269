import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { listParameters } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { transferStatuses } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { transferData } from '#payments/wire.ts'
import { transferSchema } from './transfer-fields.ts'

export function transfersList(payments: Payments): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/transfers',
    tag: 'Transfers',
    summary: 'All bank transfers, the latest first',
    query: z.object(listParameters(transferStatuses)),
    data: z.object({ transfers: z.array(transferSchema) }),
    paginated: true,
    handle: async ({ caller, query: { to, ...question } }) => {
      const found = await payments.list(caller.tenant, 'bank_transfer', { ...question, before: to })
      return {
        data: { transfers: found.payments.map(transferData) },
        pagination: paginationOf(question.page, question.limit, found.total),
      }
    },
  })
}
