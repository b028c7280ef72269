// What mobile money looks like in requests and answers: stated once for the endpoints that take or show it.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { parsePhoneNumber } from '#directory/phone.ts'
import { koboData, text, timeData } from '#http/fields.ts'
import { collectionStatuses, transferStatuses } from '#payments/payment.ts'
import { momoFailureReasonNames } from '#payments/wire.ts'

const forms = 'must be a phone number as 08030000000, 2348030000000 or +2348030000000'

/** Becomes E.164. */
export const phoneNumber = z
  .string('must be a string: as a number it would lose its leading zero')
  .transform((value, context) => {
    const parsed = parsePhoneNumber(value)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', message: forms })
    return z.NEVER
  })
  .meta({ description: '08030000000, 2348030000000 or +2348030000000. Shown as +2348030000000.' })

/** Numbers are ported: what the caller knows wins over what the prefix tells. */
export const operatorField = text(100)
  .nullish()
  .describe("The slug of an operator of GET /v1/momo/operators; left out, the number's prefix decides.")

export const otp = z
  .string('must be a string of 4 to 8 digits: as a number it would lose its leading zeros')
  .regex(/^\d{4,8}$/, 'must be 4 to 8 digits')

const head = { id: z.string(), reference: z.string() }
const tail = {
  failureReason: z.enum(momoFailureReasonNames).nullable(),
  failureMessage: z.string().nullable().describe('What happened, and what to do next.'),
  metadata: z.record(z.string(), z.string()).nullable(),
  createdAt: timeData,
  updatedAt: timeData,
  completedAt: timeData.nullable(),
}

export const momoTransferSchema = z.object({
  ...head,
  id: z.string().describe('mtr_…'),
  status: z.enum(transferStatuses),
  isFinal: z.boolean().describe('No longer queued.'),
  amount: koboData,
  fee: koboData,
  totalDebit: koboData.describe('Amount and fee together.'),
  currency: z.string(),
  phoneNumber: z.string(),
  operator: z.string(),
  accountName: z.string().nullable(),
  narration: z.string().nullable(),
  operatorReference: z.string().nullable().describe('The operator’s own reference, once it succeeded.'),
  ...tail,
})

export const momoCollectionSchema = z.object({
  ...head,
  id: z.string().describe('mcl_…'),
  status: z.enum(collectionStatuses),
  isFinal: z.boolean().describe('SUCCESS or FAILED.'),
  requiresOtp: z.boolean().describe('The payer agrees with a code, which goes to POST /v1/momo/collection/verify-otp.'),
  otpExpiresAt: timeData.nullable(),
  expiresAt: timeData.describe('When it fails if the payer has not agreed.'),
  amount: koboData,
  fee: koboData.describe('Taken from the amount when it succeeds.'),
  currency: z.string(),
  phoneNumber: z.string(),
  operator: z.string(),
  narration: z.string().nullable(),
  operatorReference: z.string().nullable().describe('The operator’s own reference, once it succeeded.'),
  depositReference: z.string().nullable().describe('Of the deposit that it became, once it succeeded.'),
  ...tail,
})

export function momoTransferNotFound(): ApiError {
  return new ApiError('TRANSFER_NOT_FOUND', 'Transfer not found')
}

export function collectionNotFound(): ApiError {
  return new ApiError('COLLECTION_NOT_FOUND', 'Collection not found')
}
