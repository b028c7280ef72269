import type { Accounts } from '#customers/accounts.ts'
import { accountData } from '#customers/wire.ts'
import type { Deposits } from '#deposits/deposits.ts'
import { failureData } from '#deposits/wire.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { readEndpoint } from './read-endpoints.ts'
import { accountNotFound, accountNumberParams, readAccountSchema } from './virtual-account-fields.ts'

export function virtualAccountGet(accounts: Accounts, deposits: Deposits): Endpoint {
  return readEndpoint({
    operationId: 'getVirtualAccount',
    path: '/v1/virtual-accounts/:accountNumber',
    tag: 'Virtual accounts',
    summary: 'One virtual account, by its number',
    description: 'Open, completed, expired or closed: an account number is never forgotten.',
    params: accountNumberParams,
    data: readAccountSchema,
    async find(tenant, { accountNumber }) {
      const [account, failed] = await Promise.all([
        accounts.read(tenant, accountNumber),
        deposits.lastFailed(tenant, accountNumber),
      ])
      return account === undefined ? undefined : { account, failed }
    },
    show: ({ account, failed }) => ({
      ...accountData(account),
      lastFailure: failed === undefined ? null : failureData(failed),
    }),
    notFound: accountNotFound,
  })
}
