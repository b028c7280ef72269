import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { amount, reference, text } from '#http/fields.ts'
import { asAccepted } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { momoCollectionData } from '#payments/wire.ts'
import { momoCollectionSchema, operatorField, phoneNumber } from './momo-fields.ts'
import { kept, optionalFields, refusal } from './payment-fields.ts'

export function momoCollect(payments: Payments): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/v1/momo/collection',
    tag: 'Mobile money',
    summary: 'Ask somebody to pay from a wallet',
    description:
      'The payer agrees on the handset (`PENDING`), or with a one-time code that you pass on to ' +
      '`POST /v1/momo/collection/verify-otp` (`OTP_REQUIRED`). What is paid becomes a deposit. Idempotent on ' +
      '`reference`, as transfers are.',
    body: z.object({
      reference,
      amount,
      phoneNumber,
      operator: operatorField,
      customerName: text(100).nullish().describe('The sender of the deposit; left out, the number is.'),
      ...optionalFields,
    }),
    data: momoCollectionSchema,
    errors: ['INVALID_OPERATOR', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const { operator, customerName } = body
      const request = { ...body, ...kept(body), operator: operator ?? undefined, customerName: customerName ?? null }
      const outcome = await payments.collect(caller.tenant, request)
      if (outcome.kind === 'accepted') return { data: momoCollectionData(outcome.payment) }
      if (outcome.kind === 'replayed') return { data: momoCollectionData(asAccepted(outcome.payment)), replayed: true }
      throw refusal(outcome, 'Mobile-money collections', { field: 'operator', value: operator ?? undefined })
    },
  })
}
