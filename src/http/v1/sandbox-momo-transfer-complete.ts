import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { momoFailureReasonNames, momoTransferData } from '#payments/wire.ts'
import { momoTransferNotFound, momoTransferSchema } from './momo-fields.ts'
import { completed } from './payment-fields.ts'

const body = z.object({
  status: z.enum(['SUCCESS', 'FAILED'], 'must be SUCCESS or FAILED'),
  failureReason: z
    .enum(momoFailureReasonNames, `must be one of ${momoFailureReasonNames.join(', ')}`)
    .default('UNSPECIFIED_FAILURE'),
})

export function sandboxMomoTransferComplete(payments: Payments): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/v1/sandbox/momo/transfer/:reference/complete',
    tag: 'Simulator',
    summary: 'End a mobile-money transfer now, as its operator would',
    params: referenceParams,
    body,
    stagingOnly: true,
    data: momoTransferSchema,
    errors: ['FORBIDDEN', 'TRANSFER_NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body: { status, failureReason } }) => {
      const found = await payments.read(caller.tenant, 'momo_transfer', params.reference)
      if (found === undefined) throw momoTransferNotFound()
      const outcome = await payments.complete(
        caller.tenant,
        params.reference,
        status === 'SUCCESS' ? { kind: 'succeeded' } : { kind: 'failed', reason: failureReason },
      )
      return { data: momoTransferData(completed(outcome, status, momoTransferNotFound)) }
    },
  })
}
