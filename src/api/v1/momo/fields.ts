// Fields of mobile-money requests and responses, shared by its endpoints.

import { z } from 'zod'
import { ApiError } from '#platform/errors.ts'
import { parsePhoneNumber, phoneForm } from '#directory/operators.ts'
import { amount, coded, currencyName, koboData, record, reference, text, timeData } from '#api/server/fields.ts'
import { collectionStatuses, transferStatuses, type Result } from '#payments/payment.ts'
import { momoCollectionData, momoFailureReasonNames, momoTransferData } from '#payments/wire.ts'
import { type PaymentShape, outflowFields, paymentEndFields, transferNotFound } from '#api/v1/payments.ts'

export const phoneForms =
  'must be a phone number as 08030000000, 2348030000000 or +2348030000000; of other countries as +233240000000'

/** Converted to E.164. */
export const phoneNumber = z
  .string('must be a string: as a number it would lose its leading zero')
  .regex(phoneForm, phoneForms)
  .transform((value, context) => {
    const parsed = parsePhoneNumber(value)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', ...coded(phoneForms, 'wrong_format') })
    return z.NEVER
  })
  .meta({
    description:
      '08030000000, 2348030000000 or +2348030000000; of other countries as +233240000000. Shown as +2348030000000.',
  })

/** Numbers are ported, so the operator that the caller names takes precedence over the prefix. */
const operatorField = text(100)
  .nullish()
  .describe("The slug of an operator of GET /v1/momo/operators; left out, the number's prefix decides.")

/** A payment is in the currency of its operator. A caller who sends the currency is told if it differs. */
const operatorCurrency = currencyName
  .nullish()
  .describe("The currency of the operator; left out, it is the operator's.")

export const otp = z
  .string('must be a string of 4 to 8 digits: as a number it would lose its leading zeros')
  .regex(/^\d{4,8}$/, 'must be 4 to 8 digits')

/** The payer or payee, and the amount. */
export const walletFields = { reference, amount, phoneNumber, operator: operatorField, currency: operatorCurrency }

const operatorReference = z.string().nullable().describe('The operator’s own reference, once it succeeded.')
const tail = { failureReason: z.enum(momoFailureReasonNames).nullable(), ...paymentEndFields }

const transferSchema = record('MomoTransfer', {
  id: z.string().describe('mtr_…'),
  reference: z.string(),
  ...outflowFields,
  phoneNumber: z.string(),
  operator: z.string(),
  accountName: z.string().nullable(),
  narration: z.string().nullable(),
  operatorReference,
  ...tail,
})

export const momoTransfers: PaymentShape<typeof transferSchema> = {
  kind: 'momo_transfer',
  plural: 'Mobile-money transfers',
  listName: 'transfers',
  statuses: transferStatuses,
  schema: transferSchema,
  show: momoTransferData,
  notFound: transferNotFound,
}

const collectionSchema = record('MomoCollection', {
  id: z.string().describe('mcl_…'),
  reference: z.string(),
  status: z.enum(collectionStatuses),
  isFinal: z
    .boolean()
    .describe(
      'SUCCESS or FAILED. A collection that failed with EXPIRED or OTP_EXPIRED still becomes SUCCESS if the operator has the money after all.',
    ),
  requiresOtp: z.boolean().describe('The payer agrees with a code, which goes to POST /v1/momo/collection/verify-otp.'),
  otpExpiresAt: timeData.nullable(),
  expiresAt: timeData.describe('When it fails if the payer has not agreed.'),
  amount: koboData,
  fee: koboData.describe('Taken from the amount when it succeeds.'),
  currency: z.string(),
  phoneNumber: z.string(),
  operator: z.string(),
  narration: z.string().nullable(),
  operatorReference,
  depositReference: z.string().nullable().describe('Of the deposit that it became, once it succeeded.'),
  ...tail,
})

export const momoCollections: PaymentShape<typeof collectionSchema> = {
  kind: 'momo_collection',
  plural: 'Mobile-money collections',
  listName: 'collections',
  statuses: collectionStatuses,
  schema: collectionSchema,
  show: momoCollectionData,
  notFound: () => new ApiError('COLLECTION_NOT_FOUND', 'Collection not found'),
}

/** The result that a sandbox call may set for a mobile-money payment, in place of the operator. */
export const momoCompletion = {
  body: z.object({
    status: z.enum(['SUCCESS', 'FAILED'], 'must be SUCCESS or FAILED'),
    failureReason: z
      .enum(momoFailureReasonNames, `must be one of ${momoFailureReasonNames.join(', ')}`)
      .default('UNSPECIFIED_FAILURE'),
  }),
  resultOf: ({
    status,
    failureReason,
  }: {
    status: 'SUCCESS' | 'FAILED'
    failureReason: (typeof momoFailureReasonNames)[number]
  }): Result => (status === 'SUCCESS' ? { kind: 'succeeded' } : { kind: 'failed', reason: failureReason }),
}
