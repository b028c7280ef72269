import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { koboData, record, text } from '#api/server/fields.ts'
import { noAnswerOf } from '#api/v1/directory-fields.ts'
import { unknownOperator } from '#api/v1/payments.ts'
import { listOperators } from '#directory/operators.ts'
import type { Resolver } from '#directory/resolve.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError } from '#platform/errors.ts'
import { toWire } from '#platform/money.ts'
import { phoneNumber } from './fields.ts'

const operatorRecord = record('MomoOperator', {
  name: z.string(),
  slug: z.string().describe('Names the operator in transfers and collections. Unique and stable.'),
  country: z.string(),
  currency: z.string(),
  prefixes: z.array(z.string()).describe('How its numbers begin, without the leading 0. Numbers may have been ported.'),
  supports: record('MomoOperatorSupport', { transfer: z.boolean(), collection: z.boolean() }),
  requiresOtp: z.boolean().describe('Its customers agree to a collection with a one-time code.'),
  minAmount: koboData,
  maxAmount: koboData,
  status: z.literal('active'),
})

export function momoOperators(): Endpoint {
  return endpoint({
    operationId: 'listMomoOperators',
    method: 'GET',
    path: '/v1/momo/operators',
    scope: 'any',
    tag: 'Mobile money',
    summary: 'All mobile-money operators',
    description: 'With the prefixes of their numbers, what they support, and their limits.',
    data: z.object({ operators: z.array(operatorRecord) }),
    handle: () =>
      Promise.resolve({
        data: {
          operators: listOperators().map((one) => ({
            name: one.name,
            slug: one.slug,
            country: one.country,
            currency: one.currency,
            prefixes: one.prefixes,
            supports: one.supports,
            requiresOtp: one.requiresOtp,
            minAmount: toWire(one.minAmount),
            maxAmount: toWire(one.maxAmount),
            status: one.status,
          })),
        },
      }),
  })
}

export function momoResolve(resolver: Resolver): Endpoint {
  return endpoint({
    operationId: 'resolvePhoneNumber',
    method: 'GET',
    path: '/v1/momo/resolve',
    scope: 'any',
    tag: 'Mobile money',
    summary: 'Whose wallet it is, to be checked before a transfer',
    description: 'The prefix of the number tells the operator, unless `operator` does: numbers are ported.',
    query: z.object({
      phoneNumber,
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
      const question = { phoneNumber: query.phoneNumber, operatorSlug: query.operator }
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
