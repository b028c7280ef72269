import { z } from 'zod'
import { depositStatuses } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/deposits.ts'
import { depositData } from '#deposits/wire.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { accountNumber, listParameters, text } from '#http/fields.ts'
import { depositSchema } from './deposit-fields.ts'
import { listEndpoint } from './read-endpoints.ts'

export function depositsList(deposits: Deposits): Endpoint {
  return listEndpoint({
    operationId: 'listDeposits',
    path: '/v1/deposits',
    tag: 'Deposits',
    summary: 'All deposits, the latest first',
    description: 'Everything that arrived: payments into virtual accounts, and mobile-money collections.',
    query: z.object({
      ...listParameters(depositStatuses),
      accountNumber: accountNumber.optional(),
      customerReference: text(100).optional(),
    }),
    name: 'deposits',
    item: depositSchema,
    list: async (tenant, { to, ...question }) => {
      const found = await deposits.list(tenant, { ...question, before: to })
      return { items: found.deposits.map(depositData), total: found.total }
    },
  })
}
