import { z } from 'zod'
import { toWire } from '#base/money.ts'
import type { Operation, Lanes } from '#base/lane.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { amount, koboData, noParams, noQuery } from '#http/fields.ts'
import { validationError } from '#http/validate.ts'
import type { FundCommand, FundOutcome } from '#ledger/fund.ts'

export function sandboxBalanceFund(lanes: Lanes, funding: Operation<FundCommand, FundOutcome>): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/v1/sandbox/balance/fund',
    tag: 'Simulator',
    summary: 'Add money to the staging balance',
    params: noParams,
    query: noQuery,
    body: z.object({ amount }),
    stagingOnly: true,
    data: z.object({ amount: koboData, available: koboData, currency: z.string() }),
    errors: ['FORBIDDEN'],
    handle: async ({ caller, body }) => {
      const command = { tenant: caller.tenant, amount: body.amount, currency: 'NGN' as const }
      const outcome = await lanes.of(caller.tenant.lane).submit(funding, command)
      if (outcome.kind === 'too-much') {
        throw validationError([
          { field: 'amount', message: 'amount would take the balance beyond what JSON can show exactly' },
        ])
      }
      return { data: { amount: toWire(body.amount), available: toWire(outcome.available), currency: 'NGN' } }
    },
  })
}
