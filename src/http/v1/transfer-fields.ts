// What a bank transfer looks like in answers: stated once for the endpoints that show one.

import { z } from 'zod'
import { koboData, timeData } from '#http/fields.ts'
import { transferStatuses } from '#payments/payment.ts'
import { bankFailureReasonNames } from '#payments/wire.ts'

export const transferSchema = z.object({
  id: z.string().describe('trf_…'),
  reference: z.string(),
  status: z.enum(transferStatuses),
  isFinal: z.boolean().describe('No longer queued.'),
  amount: koboData,
  fee: koboData,
  totalDebit: koboData.describe('Amount and fee together.'),
  currency: z.string(),
  bankSlug: z.string(),
  bankName: z.string(),
  accountNumber: z.string(),
  accountName: z.string(),
  narration: z.string().nullable(),
  sessionId: z.string().nullable().describe('The 30-digit NIP session id, once it succeeded.'),
  failureReason: z.enum(bankFailureReasonNames).nullable(),
  failureMessage: z.string().nullable().describe('What happened, and what to do next.'),
  metadata: z.record(z.string(), z.string()).nullable(),
  createdAt: timeData,
  updatedAt: timeData,
  completedAt: timeData.nullable(),
})
