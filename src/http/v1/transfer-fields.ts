// What a bank transfer looks like in answers: stated once for the endpoints that show one.

import { z } from 'zod'
import { transferStatuses } from '#payments/payment.ts'
import { bankFailureReasonNames, transferData } from '#payments/wire.ts'
import type { PaymentShape } from './payment-endpoints.ts'
import { outflowFields, paymentEndFields, transferNotFound } from './payment-fields.ts'

const schema = z.object({
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
