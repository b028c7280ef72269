import { z } from 'zod'
import { accountStatuses, accountTypes } from '#customers/account.ts'
import type { Accounts } from '#customers/accounts.ts'
import { accountData } from '#customers/wire.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { limitParameter, pageParameter, text } from '#http/fields.ts'
import { listEndpoint } from './read-endpoints.ts'
import { accountSchema } from './virtual-account-fields.ts'

export function virtualAccountsList(accounts: Accounts): Endpoint {
  return listEndpoint({
    operationId: 'listVirtualAccounts',
    path: '/v1/virtual-accounts',
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
    name: 'virtualAccounts',
    item: accountSchema,
    list: async (tenant, question) => {
      const found = await accounts.list(tenant, question)
      return { items: found.accounts.map(accountData), total: found.total }
    },
  })
}
