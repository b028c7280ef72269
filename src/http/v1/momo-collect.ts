import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { text } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { momoCollections, walletFields } from './momo-fields.ts'
import { acceptedReply } from './payment-endpoints.ts'
import { kept, optionalFields } from './payment-fields.ts'

export function momoCollect(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateMomoCollection',
    method: 'POST',
    idempotent: true,
    path: '/v1/momo/collection',
    scope: 'collect',
    tag: 'Mobile money',
    summary: 'Ask somebody to pay from a wallet',
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
      const { operator, customerName } = body
      const request = { ...body, ...kept(body), operator: operator ?? undefined, customerName: customerName ?? null }
      const outcome = await payments.collect(caller.tenant, request, caller)
      return acceptedReply(momoCollections, outcome, { field: 'operator', value: operator ?? undefined })
    },
  })
}
