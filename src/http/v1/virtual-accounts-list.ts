import { z } from 'zod'
import { accountStatuses, accountTypes } from '#customers/account.ts'
import type { Accounts } from '#customers/accounts.ts'
import { accountData } from '#customers/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { limitParameter, pageParameter, text } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { accountSchema } from './virtual-account-fields.ts'

export function virtualAccountsList(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'listVirtualAccounts',
    method: 'GET',
    path: '/v1/virtual-accounts',
    scope: 'read',
    tag: 'Virtual accounts',
    summary: 'All virtual accounts, the latest first',
    description: 'Static and dynamic ones, whatever their status, unless the filters say otherwise.',
    query: z.object({
      page: pageParameter,
      limit: limitParameter,
      type: z.enum(accountTypes, `must be ${accountTypes.join(' or ')}`).optional(),
      status: z.enum(accountStatuses, `must be one of ${accountStatuses.join(', ')}`).optional(),
      customerReference: text(100).optional(),
    }),
    data: z.object({ virtualAccounts: z.array(accountSchema) }),
    paginated: true,
    handle: async ({ caller, query }) => {
      const found = await accounts.list(caller.tenant, query)
      const pagination = paginationOf(query.page, query.limit, found.total)
      return { data: { virtualAccounts: found.accounts.map(accountData) }, pagination }
    },
  })
}
