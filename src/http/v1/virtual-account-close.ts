import { unreachable } from '#base/assert.ts'
import { ApiError } from '#base/error.ts'
import type { Accounts } from '#customers/accounts.ts'
import { accountData } from '#customers/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { accountNotFound, accountNumberParams, accountSchema } from './virtual-account-fields.ts'

export function virtualAccountClose(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'closeVirtualAccount',
    method: 'DELETE',
    path: '/v1/virtual-accounts/:accountNumber',
    scope: 'collect',
    tag: 'Virtual accounts',
    summary: 'Close a static account',
    description: 'What is paid to it from now on fails and goes back. Closing twice is closing once.',
    params: accountNumberParams,
    data: accountSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params }) => {
      const outcome = await accounts.close(caller.tenant, params.accountNumber)
      switch (outcome.kind) {
        case 'closed':
          return { data: accountData(outcome.account) }
        case 'not-found':
          throw accountNotFound()
        case 'not-static':
          throw new ApiError('CONFLICT', 'A dynamic account is not closed: it completes or expires by itself')
        default:
          return unreachable(outcome)
      }
    },
  })
}
