import { endpoint, type Endpoint } from '#http/endpoint.ts'
import type { Payments } from '#payments/payments.ts'
import { acceptedReply } from './payment-endpoints.ts'
import { kept } from './payment-fields.ts'
import { bankTransferRequest, bankTransfers } from './transfer-fields.ts'

export function transfersInitiate(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateTransfer',
    method: 'POST',
    idempotent: true,
    path: '/v1/transfers/initiate',
    scope: 'payout',
    tag: 'Transfers',
    summary: 'Send money to a bank account',
    description:
      'Idempotent on `reference`: asked again with the same amount, bank and account, it answers what it answered first, ' +
      'with the header `Idempotent-Replayed: true`, and moves nothing.',
    body: bankTransferRequest,
    data: bankTransfers.schema,
    errors: ['INVALID_BANK', 'INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED', 'PAYOUTS_PAUSED', 'CONFLICT'],
    handle: async ({ caller, body: asked }) => {
      const outcome = await payments.initiate(caller.tenant, { ...asked, ...kept(asked) }, caller)
      return acceptedReply(bankTransfers, outcome, { field: 'bankSlug', value: asked.bankSlug })
    },
  })
}
