import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { currencyName, koboData, record, text, validationError } from '#api/server/fields.ts'
import { noAnswerOf } from '#api/v1/banks.ts'
import { unknownOperator } from '#api/v1/payments.ts'
import { countryCodes, parsePhoneNumber, type MomoOperator } from '#directory/operators.ts'
import type { Resolver } from '#directory/resolve.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError } from '#platform/errors.ts'
import { toWire } from '#platform/money.ts'
import { phoneForms } from './fields.ts'

const country = z
  .enum(countryCodes, `must be one of ${countryCodes.join(', ')}`)
  .optional()
  .describe('The two letters of a country (ISO 3166-1).')

const operatorRecord = record('MomoOperator', {
  name: z.string(),
  slug: z.string().describe('Names the operator in transfers and collections. Unique and stable.'),
  country: z.string().describe('The two letters of its country (ISO 3166-1).'),
  currency: z.string(),
  decimals: z
    .int()
    .describe('How many decimals of an amount it carries. 0: whole units only, also in currencies with cents.'),
  prefixes: z.array(z.string()).describe('How its numbers begin, without the leading 0. Numbers may have been ported.'),
  supports: record('MomoOperatorSupport', { transfer: z.boolean(), collection: z.boolean() }),
  requiresOtp: z.boolean().describe('Its customers agree to a collection with a one-time code.'),
  minAmount: koboData,
  maxAmount: koboData,
  status: z.literal('active'),
})

const searchLengthMax = 100

export function momoOperators(resolver: Resolver): Endpoint {
  return endpoint({
    operationId: 'listMomoOperators',
    method: 'GET',
    path: '/v1/momo/operators',
    scope: 'any',
    tag: 'Mobile money',
    summary: 'All mobile-money operators',
    description:
      'With their currencies, the prefixes of their numbers, what they support, and their limits. Lists what this ' +
      'environment can serve.',
    query: z.object({
      country,
      currency: currencyName.optional(),
      search: text(searchLengthMax, 0)
        .optional()
        .describe('Keeps the operators whose name, network or country holds every word of it.'),
    }),
    data: z.object({ operators: z.array(operatorRecord) }),
    handle: ({ caller, query }) => {
      const served = resolver.operators(caller.tenant.environment, query)
      return Promise.resolve({ data: { operators: served.map(operatorData) } })
    },
  })
}

/** Leaves out the fields that only rail adapters need. */
function operatorData(one: MomoOperator) {
  return {
    name: one.name,
    slug: one.slug,
    country: one.country,
    currency: one.currency,
    decimals: one.decimals,
    prefixes: one.prefixes,
    supports: one.supports,
    requiresOtp: one.requiresOtp,
    minAmount: toWire(one.minAmount),
    maxAmount: toWire(one.maxAmount),
    status: one.status,
  }
}

export function momoResolve(resolver: Resolver): Endpoint {
  return endpoint({
    operationId: 'resolvePhoneNumber',
    method: 'GET',
    path: '/v1/momo/resolve',
    scope: 'any',
    tag: 'Mobile money',
    summary: 'Whose wallet it is, to be checked before a transfer',
    description:
      'The prefix of the number tells the operator, unless `operator` does: numbers are ported. Numbers in the ' +
      'national form of another country than Nigeria need `country`.',
    query: z.object({
      phoneNumber: z
        .string('must be given once')
        .regex(/^\+?\d{1,15}$/, phoneForms)
        .describe('08030000000, 2348030000000 or +2348030000000; with `country`, the national form of that country.'),
      country,
      operator: text(100).optional().describe('The slug of an operator of GET /v1/momo/operators.'),
    }),
    data: record('MomoWallet', {
      phoneNumber: z.string(),
      operator: z.string(),
      operatorName: z.string(),
      accountName: z.string(),
      currency: z.string(),
    }),
    errors: ['INVALID_OPERATOR', 'PHONE_NOT_RESOLVED'],
    handle: async ({ caller, query }) => {
      const question = { phoneNumber: phoneNumberOf(query), operatorSlug: query.operator }
      const outcome = await resolver.phone(caller.tenant.environment, question)
      switch (outcome.kind) {
        case 'resolved': {
          const { operator, accountName } = outcome
          const { slug, name, currency } = operator
          return {
            data: { phoneNumber: outcome.phoneNumber, operator: slug, operatorName: name, accountName, currency },
          }
        }
        case 'invalid-operator':
          throw unknownOperator(query.operator)
        case 'not-found':
          throw new ApiError('PHONE_NOT_RESOLVED', 'No operator knows this number. Check it, or name its operator.')
        case 'unavailable':
          throw noAnswerOf(outcome.operator, outcome.detail)
        default:
          return unreachable(outcome)
      }
    },
  })
}

function phoneNumberOf(query: { phoneNumber: string; country?: string | undefined }): string {
  const parsed = parsePhoneNumber(query.phoneNumber, query.country)
  if (parsed !== undefined) return parsed
  const message = query.country === undefined ? phoneForms : `must be a phone number of ${query.country}`
  throw validationError([{ field: 'phoneNumber', message: `phoneNumber ${message}`, code: 'wrong_format' }])
}
