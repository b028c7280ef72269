import type { Accounts } from '#customers/accounts.ts'
import { accountData } from '#customers/wire.ts'
import type { Deposits } from '#deposits/deposits.ts'
import { failureData } from '#deposits/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { accountNotFound, accountNumberParams, readAccountSchema } from './virtual-account-fields.ts'

export function virtualAccountGet(accounts: Accounts, deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'getVirtualAccount',
    method: 'GET',
    path: '/v1/virtual-accounts/:accountNumber',
    scope: 'read',
    tag: 'Virtual accounts',
    summary: 'One virtual account, by its number',
    description: 'Open, completed, expired or closed: an account number is never forgotten.',
    params: accountNumberParams,
    data: readAccountSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params }) => {
      const { accountNumber } = params
      const [account, failed] = await Promise.all([
        accounts.read(caller.tenant, accountNumber),
        deposits.lastFailed(caller.tenant, accountNumber),
      ])
      if (account === undefined) throw accountNotFound()
      return { data: { ...accountData(account), lastFailure: failed === undefined ? null : failureData(failed) } }
    },
  })
}
