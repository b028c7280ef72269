import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import type { Result } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { bankFailureReasonNames } from '#payments/wire.ts'
import { paymentComplete } from './payment-endpoints.ts'
import { bankTransfers } from './transfer-fields.ts'

const body = z.object({
  status: z.enum(['SUCCESS', 'FAILED', 'REVERSED'], 'must be SUCCESS, FAILED or REVERSED'),
  failureReason: z
    .enum(bankFailureReasonNames, `must be one of ${bankFailureReasonNames.join(', ')}`)
    .default('PROVIDER_ERROR'),
})

export function sandboxTransferComplete(payments: Payments): Endpoint {
  return paymentComplete(payments, bankTransfers, {
    operationId: 'completeTransfer',
    path: '/v1/sandbox/transfers/:reference/complete',
    tag: 'Simulator',
    summary: 'End a transfer now, as its bank would',
    description:
      'Staging only. `REVERSED` returns a transfer that succeeded. Saying the same twice changes nothing; what contradicts how it ended answers 409.',
    body,
    resultOf,
  })
}

function resultOf({ status, failureReason }: z.output<typeof body>): Result {
  if (status === 'SUCCESS') return { kind: 'succeeded', sessionId: null }
  return status === 'FAILED' ? { kind: 'failed', reason: failureReason } : { kind: 'reversed' }
}
