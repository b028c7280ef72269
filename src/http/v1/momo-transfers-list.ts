import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { listParameters } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { transferStatuses } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { momoTransferData } from '#payments/wire.ts'
import { momoTransferSchema } from './momo-fields.ts'

export function momoTransfersList(payments: Payments): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/momo/transfer',
    tag: 'Mobile money',
    summary: 'All mobile-money transfers, the latest first',
    query: z.object(listParameters(transferStatuses)),
    data: z.object({ transfers: z.array(momoTransferSchema) }),
    paginated: true,
    handle: async ({ caller, query: { to, ...question } }) => {
      const found = await payments.list(caller.tenant, 'momo_transfer', { ...question, before: to })
      return {
        data: { transfers: found.payments.map(momoTransferData) },
        pagination: paginationOf(question.page, question.limit, found.total),
      }
    },
  })
}
