import { z } from 'zod'
import { toWire } from '#base/money.ts'
import { listOperators } from '#directory/operators.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { koboData, record } from '#http/fields.ts'

const operator = record('MomoOperator', {
  name: z.string(),
  slug: z.string().describe('Names the operator in transfers and collections. Unique and stable.'),
  country: z.string(),
  currency: z.string(),
  prefixes: z.array(z.string()).describe('How its numbers begin, without the leading 0. Numbers may have been ported.'),
  supports: z.object({ transfer: z.boolean(), collection: z.boolean() }),
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
    data: z.object({ operators: z.array(operator) }),
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
