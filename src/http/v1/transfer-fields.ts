// What a bank transfer looks like in requests and in answers: stated once for the endpoints that take or show one.

import { z } from 'zod'
import { accountNumber, amount, record, reference, text } from '#http/fields.ts'
import { transferStatuses } from '#payments/payment.ts'
import { bankFailureReasonNames, transferData } from '#payments/wire.ts'
import type { PaymentShape } from './payment-endpoints.ts'
import { optionalFields, outflowFields, paymentEndFields, transferNotFound } from './payment-fields.ts'

/** What is asked for, alone or as one of many. */
export const bankTransferRequest = record(
  'TransferRequest',
  {
    reference,
    amount,
    bankSlug: text(100).describe('The slug of a bank of GET /v1/banks.'),
    accountNumber,
    accountName: text(100),
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
