import { z } from 'zod'
import { toWire } from '#base/money.ts'
import { depositStatuses } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/deposits.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { koboData, referenceParams } from '#http/fields.ts'
import { requireReference } from './deposit-fields.ts'

const existing = z.object({
  exists: z.literal(true),
  reference: z.string(),
  status: z.enum(depositStatuses),
  amount: koboData,
  currency: z.string(),
  valid: z.boolean().describe('The one signal for whether to fulfil an order.'),
})
const missing = z.object({ exists: z.literal(false), reference: z.string(), message: z.string() })

export function depositValidate(deposits: Deposits): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/deposits/validate/:reference',
    tag: 'Deposits',
    summary: 'Whether a deposit is there and successful',
    emptyReference: true,
    params: referenceParams,
    data: z.union([existing, missing]),
    handle: async ({ caller, params }) => {
      const reference = requireReference(params.reference)
      const deposit = await deposits.read(caller.tenant, reference)
      if (deposit === undefined) return { data: { exists: false as const, reference, message: 'Deposit not found' } }
      const { status, amount, currency } = deposit
      const valid = status === 'SUCCESSFUL'
      return { data: { exists: true as const, reference, status, amount: toWire(amount), currency, valid } }
    },
  })
}
