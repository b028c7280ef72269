import { z } from 'zod'
import { toWire } from '#base/money.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { amount, koboData, noParams, noQuery } from '#http/fields.ts'
import { beyondTheBooks, validationError } from '#http/validate.ts'
import type { Ledger } from '#ledger/ledger.ts'

export function sandboxBalanceFund(ledger: Ledger): Endpoint {
  return endpoint({
    operationId: 'fundBalance',
    method: 'POST',
    path: '/v1/sandbox/balance/fund',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Add money to the staging balance',
    description: 'Staging only. What is added is an entry of the statement, of type `funding`.',
    params: noParams,
    query: noQuery,
    body: z.object({ amount }),
    stagingOnly: true,
    data: z.object({ amount: koboData, available: koboData, currency: z.string() }),
    handle: async ({ caller, body }) => {
      const outcome = await ledger.fund({ tenant: caller.tenant, amount: body.amount, currency: 'NGN' })
      if (outcome.kind === 'too-much') {
        throw validationError([beyondTheBooks])
      }
      return { data: { amount: toWire(body.amount), available: toWire(outcome.available), currency: 'NGN' } }
    },
  })
}
