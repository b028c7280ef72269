import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { text } from '#api/server/fields.ts'
import { acceptedReply, kept, optionalFields, paymentGet, paymentsList } from '#api/v1/payments.ts'
import type { Payments } from '#payments/service.ts'
import { momoTransfers, walletFields } from './fields.ts'

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
      const { operator, currency, accountName } = body
      const request = {
        ...body,
        ...kept(body),
        operator: operator ?? undefined,
        currency: currency ?? undefined,
        accountName: accountName ?? null,
      }
      const outcome = await payments.sendMomo(caller.tenant, request, caller)
      return acceptedReply(momoTransfers, outcome, { field: 'operator', value: operator ?? undefined })
    },
  })
}

export function momoTransferGet(payments: Payments): Endpoint {
  return paymentGet(payments, momoTransfers, {
    operationId: 'getMomoTransfer',
    path: '/v1/momo/transfer/:reference',
    tag: 'Mobile money',
    summary: 'One mobile-money transfer, by the reference it was sent under',
    description: 'After a timeout or a 5xx this tells whether it was accepted.',
  })
}

export function momoTransfersList(payments: Payments): Endpoint {
  return paymentsList(payments, momoTransfers, {
    operationId: 'listMomoTransfers',
    path: '/v1/momo/transfer',
    tag: 'Mobile money',
    summary: 'All mobile-money transfers, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
  })
}
