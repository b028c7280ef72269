import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { momoTransferData } from '#payments/wire.ts'
import { momoTransferNotFound, momoTransferSchema } from './momo-fields.ts'

export function momoTransferGet(payments: Payments): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/v1/momo/transfer/:reference',
    tag: 'Mobile money',
    summary: 'One mobile-money transfer, by the reference it was sent under',
    params: referenceParams,
    data: momoTransferSchema,
    errors: ['TRANSFER_NOT_FOUND'],
    handle: async ({ caller, params }) => {
      const payment = await payments.read(caller.tenant, 'momo_transfer', params.reference)
      if (payment === undefined) throw momoTransferNotFound()
      return { data: momoTransferData(payment) }
    },
  })
}
