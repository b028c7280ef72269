import { z } from 'zod'
import { depositStatuses } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/deposits.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { accountNumber, amount, text } from '#http/fields.ts'
import { depositReply, depositSchema } from './deposit-fields.ts'
import { accountNotFound } from './virtual-account-fields.ts'

const optionalText = text(100, 0).default('')

export function sandboxDeposits(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'simulateDeposit',
    method: 'POST',
    path: '/v1/sandbox/deposits',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Pay into a virtual account',
    description:
      'Staging only. Plays the bank that holds the account: the deposit is judged as a real one would be, so a wrong amount for a dynamic account ends FAILED.',
    body: z.object({
      accountNumber,
      amount,
      status: z.enum(depositStatuses, `must be one of ${depositStatuses.join(', ')}`).default('SUCCESSFUL'),
      senderAccountName: optionalText,
      senderAccountNumber: optionalText,
      senderBankName: optionalText,
      narration: optionalText,
    }),
    stagingOnly: true,
    data: depositSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller, body }) =>
      depositReply(await deposits.simulate(caller.tenant, body), body.status, accountNotFound),
  })
}
