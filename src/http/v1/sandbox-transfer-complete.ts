import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import type { Result } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { bankFailureReasonNames, transferData } from '#payments/wire.ts'
import { completed } from './payment-fields.ts'
import { transferSchema } from './transfer-fields.ts'
import { transferNotFound } from './transfer-get.ts'

const body = z.object({
  status: z.enum(['SUCCESS', 'FAILED', 'REVERSED'], 'must be SUCCESS, FAILED or REVERSED'),
  failureReason: z
    .enum(bankFailureReasonNames, `must be one of ${bankFailureReasonNames.join(', ')}`)
    .default('PROVIDER_ERROR'),
})

export function sandboxTransferComplete(payments: Payments): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/v1/sandbox/transfers/:reference/complete',
    tag: 'Simulator',
    summary: 'End a transfer now, as its bank would',
    params: referenceParams,
    body,
    stagingOnly: true,
    data: transferSchema,
    errors: ['FORBIDDEN', 'TRANSFER_NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body: asked }) => {
      const found = await payments.read(caller.tenant, 'bank_transfer', params.reference)
      if (found === undefined) throw transferNotFound()
      const outcome = await payments.complete(caller.tenant, params.reference, resultOf(asked))
      return { data: transferData(completed(outcome, asked.status, transferNotFound)) }
    },
  })
}

function resultOf({ status, failureReason }: z.output<typeof body>): Result {
  if (status === 'SUCCESS') return { kind: 'succeeded', sessionId: null }
  return status === 'FAILED' ? { kind: 'failed', reason: failureReason } : { kind: 'reversed' }
}
