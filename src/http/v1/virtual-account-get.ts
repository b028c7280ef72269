import type { Accounts } from '#customers/accounts.ts'
import { accountData } from '#customers/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { accountNotFound, accountNumberParams, accountSchema } from './virtual-account-fields.ts'

export function virtualAccountGet(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'getVirtualAccount',
    method: 'GET',
    path: '/v1/virtual-accounts/:accountNumber',
    scope: 'read',
    tag: 'Virtual accounts',
    summary: 'One virtual account, by its number',
    description: 'Open, completed, expired or closed: an account number is never forgotten.',
    params: accountNumberParams,
    data: accountSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params }) => {
      const account = await accounts.read(caller.tenant, params.accountNumber)
      if (account === undefined) throw accountNotFound()
      return { data: accountData(account) }
    },
  })
}
