import { z } from 'zod'
import { amountPolicies } from '#customers/account.ts'
import type { Accounts } from '#customers/accounts.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { amount, metadata, reference, text } from '#http/fields.ts'
import { accountSchema, openedOr } from './virtual-account-fields.ts'

const conflict = { message: 'A virtual account with this reference already exists', field: 'reference' }
const minutesSentence = 'must be a whole number of minutes from 5 to 1440'

export function virtualAccountsDynamic(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'openDynamicAccount',
    method: 'POST',
    path: '/v1/virtual-accounts/dynamic',
    scope: 'collect',
    tag: 'Virtual accounts',
    summary: 'Open an account for one payment of one amount',
    description:
      'The first payment of exactly `amount` before it expires succeeds and completes the account. With `amountPolicy` ' +
      '`any`, the first payment does, whatever it is. Any other payment fails, and its money goes back.',
    body: z.object({
      amount,
      reference: reference.nullish(),
      accountName: text(100).nullish().describe("What a payer sees; left out, the business's name."),
      expiresInMinutes: z.int(minutesSentence).min(5, minutesSentence).max(1_440, minutesSentence).default(30),
      amountPolicy: z.enum(amountPolicies, `must be ${amountPolicies.join(' or ')}`).default('exact'),
      narration: text(100, 0).nullish(),
      metadata: metadata.nullish(),
    }),
    data: accountSchema,
    errors: ['CONFLICT'],
    handle: async ({ caller, body }) => {
      const request = {
        amount: body.amount,
        reference: body.reference ?? null,
        accountName: body.accountName ?? undefined,
        expiresInMinutes: body.expiresInMinutes,
        amountPolicy: body.amountPolicy,
        narration: body.narration ?? null,
        metadata: body.metadata === undefined || body.metadata === null ? null : JSON.stringify(body.metadata),
      }
      return openedOr(await accounts.openDynamic(caller.tenant, request), conflict)
    },
  })
}
