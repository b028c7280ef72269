import { z } from 'zod'
import type { Deposits } from '#deposits/deposits.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import { depositNotFound, depositReply, depositSchema } from './deposit-fields.ts'

export function sandboxDepositSettle(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'settleDeposit',
    method: 'POST',
    path: '/v1/sandbox/deposits/:reference/settle',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Settle a pending deposit, as its provider would',
    description: 'Staging only. A deposit that has ended stays as it is: another word about it answers 409.',
    params: referenceParams,
    body: z.object({ status: z.enum(['SUCCESSFUL', 'FAILED'], 'must be SUCCESSFUL or FAILED') }),
    stagingOnly: true,
    data: depositSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body }) => {
      const outcome = await deposits.settle(caller.tenant, params.reference, body.status)
      return depositReply(outcome, body.status, depositNotFound)
    },
  })
}
