import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { momoCollectionData, momoFailureReasonNames } from '#payments/wire.ts'
import { collectionNotFound, momoCollectionSchema } from './momo-fields.ts'
import { completed } from './payment-fields.ts'

const body = z.object({
  status: z.enum(['SUCCESS', 'FAILED'], 'must be SUCCESS or FAILED'),
  failureReason: z
    .enum(momoFailureReasonNames, `must be one of ${momoFailureReasonNames.join(', ')}`)
    .default('UNSPECIFIED_FAILURE'),
})

export function sandboxMomoCollectionComplete(payments: Payments): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/v1/sandbox/momo/collection/:reference/complete',
    tag: 'Simulator',
    summary: 'End a collection now, as its operator would',
    params: referenceParams,
    body,
    stagingOnly: true,
    data: momoCollectionSchema,
    errors: ['FORBIDDEN', 'COLLECTION_NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body: { status, failureReason } }) => {
      const found = await payments.read(caller.tenant, 'momo_collection', params.reference)
      if (found === undefined) throw collectionNotFound()
      const outcome = await payments.complete(
        caller.tenant,
        params.reference,
        status === 'SUCCESS' ? { kind: 'succeeded' } : { kind: 'failed', reason: failureReason },
      )
      return { data: momoCollectionData(completed(outcome, status, collectionNotFound)) }
    },
  })
}
