import { z } from 'zod'
import { unreachable } from '#base/assert.ts'
import { ApiError } from '#base/error.ts'
import type { Resolver } from '#directory/resolve.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { record, text } from '#http/fields.ts'
import { noAnswerOf } from './resolve-fields.ts'

const bankWordLengthMax = 100

const query = z
  .object({
    accountNumber: z
      .string('must be given once')
      .regex(/^\d{10}$/, 'must be the 10 digits of the account number, leading zeros included'),
    bankSlug: text(bankWordLengthMax).optional().describe('This or bankCode.'),
    bankCode: text(bankWordLengthMax)
      .optional()
      .describe('This or bankSlug. A code that several banks share is refused.'),
  })
  .refine(({ bankSlug, bankCode }) => bankSlug !== undefined || bankCode !== undefined, {
    path: ['bankSlug'],
    error: 'is required (or bankCode)',
    // The check runs although the account number is wrong too: the caller is told all wrong fields at once.
    when: () => true,
  })

export function bankResolve(resolver: Resolver): Endpoint {
  return endpoint({
    operationId: 'resolveBankAccount',
    method: 'GET',
    path: '/v1/bank/resolve',
    scope: 'any',
    tag: 'Banks',
    summary: 'Whose account it is, to be checked before a transfer',
    description:
      'Asks the bank, so that a name can be shown before money goes there. Needs `bankSlug` or `bankCode`; given both, they must name the same bank.',
    query,
    data: record('BankAccount', {
      accountNumber: z.string(),
      accountName: z.string(),
      bankSlug: z.string(),
      bankName: z.string(),
      bankCode: z.string(),
    }),
    errors: ['INVALID_BANK', 'ACCOUNT_NOT_RESOLVED'],
    handle: async ({ caller, query: question }) => {
      const outcome = await resolver.account(caller.tenant.environment, question)
      switch (outcome.kind) {
        case 'resolved': {
          const { bank, accountNumber, accountName } = outcome
          return {
            data: { accountNumber, accountName, bankSlug: bank.slug, bankName: bank.name, bankCode: bank.code },
          }
        }
        case 'invalid-bank':
          throw new ApiError('INVALID_BANK', outcome.message)
        case 'not-found':
          throw new ApiError('ACCOUNT_NOT_RESOLVED', `${outcome.bank.name} has no such account. Check number and bank.`)
        case 'unavailable':
          throw noAnswerOf(outcome.bank, outcome.detail)
        default:
          return unreachable(outcome)
      }
    },
  })
}
