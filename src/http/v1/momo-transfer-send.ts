import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { amount, reference, text } from '#http/fields.ts'
import { asAccepted } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { momoTransferData } from '#payments/wire.ts'
import { momoTransferSchema, operatorField, phoneNumber } from './momo-fields.ts'
import { kept, optionalFields, refusal } from './payment-fields.ts'

export function momoTransferSend(payments: Payments): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/v1/momo/transfer',
    tag: 'Mobile money',
    summary: 'Send money to a wallet',
    description:
      'Idempotent on `reference`: asked again with the same amount, number and operator, it answers what it answered ' +
      'first, with the header `Idempotent-Replayed: true`, and moves nothing.',
    body: z.object({
      reference,
      amount,
      phoneNumber,
      operator: operatorField,
      accountName: text(100).nullish(),
      ...optionalFields,
    }),
    data: momoTransferSchema,
    errors: ['INVALID_OPERATOR', 'INSUFFICIENT_BALANCE', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const { operator, accountName } = body
      const request = { ...body, ...kept(body), operator: operator ?? undefined, accountName: accountName ?? null }
      const outcome = await payments.sendMomo(caller.tenant, request)
      if (outcome.kind === 'accepted') return { data: momoTransferData(outcome.payment) }
      if (outcome.kind === 'replayed') return { data: momoTransferData(asAccepted(outcome.payment)), replayed: true }
      throw refusal(outcome, 'Mobile-money transfers', { field: 'operator', value: operator ?? undefined })
    },
  })
}
