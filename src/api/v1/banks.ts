import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { record, text } from '#api/server/fields.ts'
import { type Bank, listBanks, unknownBank } from '#directory/banks.ts'
import type { Resolver } from '#directory/resolve.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'

const bankRecord = record('Bank', {
  name: z.string(),
  slug: z.string().describe('Names the bank in transfers. Unique and stable.'),
  code: z.string().describe('Not unique; use the slug where you can.'),
  nipCode: z.string().nullable().describe('Of the institution on NIP; null where it is not known.'),
  type: z.string(),
  country: z.literal('NG'),
  currency: z.literal('NGN'),
  active: z.boolean(),
})

const searchLengthMax = 100

export function banksList(): Endpoint {
  return endpoint({
    operationId: 'listBanks',
    method: 'GET',
    path: '/v1/banks',
    scope: 'any',
    tag: 'Banks',
    summary: 'All banks, by name',
    description:
      'The whole list in one answer. A bank is also found by its codes and by what people call it: `gtb`, `uba`, `058`. Transfers take the `slug`.',
    query: z.object({
      search: text(searchLengthMax, 0).optional().describe('Keeps the banks whose name holds every word of it.'),
    }),
    data: z.object({ banks: z.array(bankRecord) }),
    handle: ({ query }) => Promise.resolve({ data: { banks: listBanks(query).map(bankData) } }),
  })
}

/** Leaves out the fields that only rail adapters need. */
function bankData({ name, slug, code, nipCode, type, country, currency, active }: Bank) {
  return { name, slug, code, nipCode, type, country, currency, active }
}

const bankWordLengthMax = 100

const resolveQuery = z
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
    // Runs even if the account number is wrong too, so that the caller gets all errors at once.
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
    query: resolveQuery,
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

// Shared errors of the endpoints that look up banks and accounts.

export function invalidBank(slug: string): ApiError {
  const details = [{ field: 'bankSlug', message: 'is not the slug of a bank', code: 'not_allowed' as const }]
  return new ApiError('INVALID_BANK', unknownBank(slug), { details })
}

const retryAfterSeconds = 5

/** Error when the bank or operator that would know does not respond. `detail` is for the log. */
export function noAnswerOf({ name }: { name: string }, detail: string): Unavailable {
  return new Unavailable(`${name} does not answer now. Try again shortly.`, {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}
