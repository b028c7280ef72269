import { z } from 'zod'
import { unreachable } from '#base/assert.ts'
import { ApiError } from '#base/error.ts'
import type { Resolver } from '#directory/resolve.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { record, text } from '#http/fields.ts'
import { phoneNumber } from './momo-fields.ts'
import { unknownOperator } from './payment-fields.ts'
import { noAnswerOf } from './resolve-fields.ts'

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
