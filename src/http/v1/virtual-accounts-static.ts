import { z } from 'zod'
import type { Accounts } from '#customers/accounts.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { reference, text } from '#http/fields.ts'
import { accountSchema, openedOr } from './virtual-account-fields.ts'

const conflict = { message: 'The customer has an active account at this bank', field: 'customerReference' }

export function virtualAccountsStatic(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'openStaticAccount',
    method: 'POST',
    path: '/v1/virtual-accounts/static',
    scope: 'collect',
    tag: 'Virtual accounts',
    summary: 'Open an account that belongs to a customer and takes any amount, many times',
    description: 'Each payment into it becomes a deposit. A customer has at most one active account at a bank.',
    body: z.object({
      customerReference: reference,
      bankSlug: text(100).nullish().describe('Where it is opened; left out, a bank is chosen.'),
      accountName: text(100).nullish().describe("What a payer sees; left out, the customer's name."),
    }),
    data: accountSchema,
    errors: ['INVALID_BANK', 'NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, body: { customerReference, bankSlug, accountName } }) => {
      const request = { customerReference, bankSlug: bankSlug ?? undefined, accountName: accountName ?? undefined }
      return openedOr(await accounts.openStatic(caller.tenant, request), conflict, request.bankSlug)
    },
  })
}
