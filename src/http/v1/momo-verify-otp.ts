import { z } from 'zod'
import { unreachable } from '#base/assert.ts'
import { ApiError, Unavailable } from '#base/error.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { reference } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { momoCollections, otp } from './momo-fields.ts'

const operatorRetryAfterSeconds = 5

export function momoVerifyOtp(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'verifyCollectionOtp',
    method: 'POST',
    path: '/v1/momo/collection/verify-otp',
    scope: 'collect',
    tag: 'Mobile money',
    summary: 'Pass on the code with which a payer agrees',
    description: 'Three wrong codes end the collection. The right one again is harmless.',
    body: z.object({ reference, otp }),
    data: momoCollections.schema,
    errors: ['COLLECTION_NOT_FOUND', 'INVALID_OTP', 'OTP_EXPIRED', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const outcome = await payments.verifyOtp(caller.tenant, body.reference, body.otp)
      switch (outcome.kind) {
        case 'accepted':
          return { data: momoCollections.show(outcome.payment) }
        case 'wrong':
          throw wrongCode(outcome.attemptsLeft)
        case 'expired':
          throw new ApiError(
            'OTP_EXPIRED',
            'The time for the code is over. Start a new collection with a new reference.',
          )
        case 'not-found':
          throw momoCollections.notFound()
        case 'not-waiting':
          throw new ApiError('CONFLICT', `The collection is ${outcome.payment.status}: it does not wait for a code.`)
        case 'unavailable':
          throw new Unavailable('The operator does not answer now. Send the code again shortly.', {
            retryAfterSeconds: operatorRetryAfterSeconds,
          })
        default:
          return unreachable(outcome)
      }
    },
  })
}

function wrongCode(attemptsLeft: number): ApiError {
  const left = attemptsLeft === 1 ? '1 attempt is left' : `${attemptsLeft} attempts are left`
  const next = attemptsLeft === 0 ? 'no attempt is left and the collection has failed' : left
  return new ApiError('INVALID_OTP', `The code is wrong: ${next}.`, {
    details: [{ field: 'otp', message: `is wrong; ${left}` }],
  })
}
