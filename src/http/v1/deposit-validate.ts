import { z } from 'zod'
import { toWire } from '#base/money.ts'
import { depositStatuses } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/deposits.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { koboData, record, referenceParams } from '#http/fields.ts'
import { requireReference } from './deposit-fields.ts'

const existing = record('DepositFound', {
  exists: z.literal(true),
  reference: z.string(),
  status: z.enum(depositStatuses),
  amount: koboData,
  currency: z.string(),
  valid: z.boolean().describe('The one signal for whether to fulfil an order.'),
})
const missing = record('DepositMissing', { exists: z.literal(false), reference: z.string(), message: z.string() })
const validation = z.union([existing, missing]).meta({ id: 'DepositValidation' })

export function depositValidate(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'validateDeposit',
    method: 'GET',
    path: '/v1/deposits/validate/:reference',
    scope: 'read',
    tag: 'Deposits',
    summary: 'Whether a deposit is there and successful',
    description:
      'Asked before an order is fulfilled. `valid` is true only for a deposit that is there and SUCCESSFUL; a reference that nobody knows is `exists: false`, and no error.',
    emptyReference: true,
    params: referenceParams,
    data: validation,
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
