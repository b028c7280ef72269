// Payments picked out by what no index knows. An answer says how far back it has looked, and where the next one goes on.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import type { Context } from '#base/context.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { fromParameter, limitParameter, toParameter } from '#http/fields.ts'
import { searchPayments } from '#payments/search.ts'
import { paymentData } from '#payments/wire.ts'
import { paymentFilterOf, paymentFilterParameters, paymentNouns, type PaymentNoun } from './payment-filters.ts'

const ordinal = z
  .string('must be given once')
  .regex(/^[1-9]\d{0,17}$/, 'must be what the answer before this one gave as next')
  .transform(BigInt)
  .optional()

export function searchEndpoint(ctx: Pick<Context, 'db'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/search/:noun',
    permission: 'payments.see',
    params: z.object({ noun: z.string() }),
    query: z.object({
      ...paymentFilterParameters,
      from: fromParameter,
      to: toParameter,
      limit: limitParameter,
      behind: ordinal,
    }),
    handle: async ({ tenant, params, query: { from, to: before, limit, behind, ...asked } }) => {
      const noun = nounOf(params.noun)
      const question = { from, before, limit, behind, filter: paymentFilterOf(noun, asked) }
      const found = await searchPayments(ctx, tenant, paymentNouns[noun].kind, question)
      const { looked, next, lookedBackTo } = found
      return {
        data: {
          payments: found.payments.map(paymentData),
          looked,
          next: next === undefined ? null : String(next),
          lookedBackTo: lookedBackTo?.toISOString() ?? null,
        },
      }
    },
  })
}

function nounOf(unchecked: string): PaymentNoun {
  const noun = (Object.keys(paymentNouns) as PaymentNoun[]).find((name) => name === unchecked)
  if (noun !== undefined) return noun
  throw new ApiError('NOT_FOUND', `What can be looked through is ${Object.keys(paymentNouns).join(', ')}.`)
}
