// The endpoints for bank transfers, and the fields of a bank transfer in requests and responses.

import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { accountNumber, amount, record, reference, text } from '#api/server/fields.ts'
import { transferStatuses } from '#payments/payment.ts'
import type { Payments } from '#payments/service.ts'
import { bankFailureReasonNames, transferData } from '#payments/wire.ts'
import {
  type PaymentShape,
  optionalFields,
  outflowFields,
  paymentEndFields,
  transferNotFound,
  acceptedReply,
  kept,
  paymentGet,
  paymentsList,
} from './payments.ts'

/** The request for a transfer, alone or as one of many. */
export const bankTransferRequest = record(
  'TransferRequest',
  {
    reference,
    amount,
    bankSlug: text(100).describe('The slug of a bank of GET /v1/banks.'),
    accountNumber,
    accountName: text(100),
    currency: z.literal('NGN', 'must be NGN').default('NGN'),
    ...optionalFields,
  },
  'must be an object',
)

const schema = record('Transfer', {
  id: z.string().describe('trf_…'),
  reference: z.string(),
  ...outflowFields,
  bankSlug: z.string(),
  bankName: z.string(),
  accountNumber: z.string(),
  accountName: z.string(),
  narration: z.string().nullable(),
  sessionId: z.string().nullable().describe('The 30-digit NIP session id, once it succeeded.'),
  failureReason: z.enum(bankFailureReasonNames).nullable(),
  ...paymentEndFields,
})

export const bankTransfers: PaymentShape<typeof schema> = {
  kind: 'bank_transfer',
  plural: 'Bank transfers',
  listName: 'transfers',
  statuses: transferStatuses,
  schema,
  show: transferData,
  notFound: transferNotFound,
}

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

export function transferGet(payments: Payments): Endpoint {
  return paymentGet(payments, bankTransfers, {
    operationId: 'getTransfer',
    path: '/v1/transfers/:reference',
    tag: 'Transfers',
    summary: 'One bank transfer, by the reference it was sent under',
    description: 'After a timeout or a 5xx this tells whether it was accepted.',
  })
}

export function transfersList(payments: Payments): Endpoint {
  return paymentsList(payments, bankTransfers, {
    operationId: 'listTransfers',
    path: '/v1/transfers',
    tag: 'Transfers',
    summary: 'All bank transfers, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
  })
}
