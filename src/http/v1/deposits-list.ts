import { z } from 'zod'
import { depositStatuses } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/deposits.ts'
import { depositData } from '#deposits/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { accountNumber, listParameters, text } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { depositSchema } from './deposit-fields.ts'

export function depositsList(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'listDeposits',
    method: 'GET',
    path: '/v1/deposits',
    scope: 'read',
    tag: 'Deposits',
    summary: 'All deposits, the latest first',
    description: 'Everything that arrived: payments into virtual accounts, and mobile-money collections.',
    query: z.object({
      ...listParameters(depositStatuses),
      accountNumber: accountNumber.optional(),
      customerReference: text(100).optional(),
    }),
    data: z.object({ deposits: z.array(depositSchema) }),
    paginated: true,
    handle: async ({ caller, query: { to, ...question } }) => {
      const found = await deposits.list(caller.tenant, { ...question, before: to })
      const pagination = paginationOf(question.page, question.limit, found.total)
      return { data: { deposits: found.deposits.map(depositData) }, pagination }
    },
  })
}
