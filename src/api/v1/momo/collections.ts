import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { text, reference } from '#api/server/fields.ts'
import { acceptedReply, kept, optionalFields, paymentGet, paymentsList } from '#api/v1/payments.ts'
import type { Payments } from '#payments/service.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'
import { momoCollections, walletFields, otp } from './fields.ts'

export function momoCollect(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateMomoCollection',
    method: 'POST',
    idempotent: true,
    path: '/v1/momo/collection',
    scope: 'collect',
    tag: 'Mobile money',
    summary: 'Ask a customer to pay from a wallet',
    description:
      'The payer agrees on the handset (`PENDING`), or with a one-time code that you pass on to ' +
      '`POST /v1/momo/collection/verify-otp` (`OTP_REQUIRED`). What is paid becomes a deposit. Idempotent on ' +
      '`reference`, as transfers are.',
    body: z.object({
      ...walletFields,
      customerName: text(100).nullish().describe('The sender of the deposit; left out, the number is.'),
      ...optionalFields,
    }),
    data: momoCollections.schema,
    errors: ['INVALID_OPERATOR', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const { operator, currency, customerName } = body
      const request = {
        ...body,
        ...kept(body),
        operator: operator ?? undefined,
        currency: currency ?? undefined,
        customerName: customerName ?? null,
      }
      const outcome = await payments.collect(caller.tenant, request, caller)
      return acceptedReply(momoCollections, outcome, { field: 'operator', value: operator ?? undefined })
    },
  })
}

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

export function momoCollectionGet(payments: Payments): Endpoint {
  return paymentGet(payments, momoCollections, {
    operationId: 'getMomoCollection',
    path: '/v1/momo/collection/:reference',
    tag: 'Mobile money',
    summary: 'One collection, by the reference it was made under',
    description: 'After a timeout or a 5xx this tells whether it was accepted.',
  })
}

export function momoCollectionsList(payments: Payments): Endpoint {
  return paymentsList(payments, momoCollections, {
    operationId: 'listMomoCollections',
    path: '/v1/momo/collection',
    tag: 'Mobile money',
    summary: 'All collections, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
  })
}
