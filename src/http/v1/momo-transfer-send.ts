import { z } from 'zod'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { text } from '#http/fields.ts'
import type { Payments } from '#payments/payments.ts'
import { momoTransfers, walletFields } from './momo-fields.ts'
import { acceptedReply } from './payment-endpoints.ts'
import { kept, optionalFields } from './payment-fields.ts'

export function momoTransferSend(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateMomoTransfer',
    method: 'POST',
    idempotent: true,
    path: '/v1/momo/transfer',
    scope: 'payout',
    tag: 'Mobile money',
    summary: 'Send money to a wallet',
    description:
      'Idempotent on `reference`: asked again with the same amount, number and operator, it answers what it answered ' +
      'first, with the header `Idempotent-Replayed: true`, and moves nothing.',
    body: z.object({
      ...walletFields,
      accountName: text(100).nullish(),
      ...optionalFields,
    }),
    data: momoTransfers.schema,
    errors: ['INVALID_OPERATOR', 'INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED', 'PAYOUTS_PAUSED', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const { operator, accountName } = body
      const request = { ...body, ...kept(body), operator: operator ?? undefined, accountName: accountName ?? null }
      const outcome = await payments.sendMomo(caller.tenant, request, caller)
      return acceptedReply(momoTransfers, outcome, { field: 'operator', value: operator ?? undefined })
    },
  })
}
