import { ApiError } from '#base/error.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { transferData } from '#payments/wire.ts'
import { transferSchema } from './transfer-fields.ts'

export function transferGet(payments: Payments): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/transfers/:reference',
    tag: 'Transfers',
    summary: 'One bank transfer, by the reference it was sent under',
    params: referenceParams,
    data: transferSchema,
    errors: ['TRANSFER_NOT_FOUND'],
    handle: async ({ caller, params }) => {
      const payment = await payments.read(caller.tenant, 'bank_transfer', params.reference)
      if (payment === undefined) throw transferNotFound()
      return { data: transferData(payment) }
    },
  })
}

export function transferNotFound(): ApiError {
  return new ApiError('TRANSFER_NOT_FOUND', 'Transfer not found')
}
