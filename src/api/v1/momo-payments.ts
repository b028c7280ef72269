// The endpoints for mobile-money transfers and collections, and their fields.

import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { text, reference, amount, coded, currencyName, koboData, record, timeData } from '#api/server/fields.ts'
import type { Payments } from '#payments/service.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'
import { businessNumberForm, findOperator, parsePhoneNumber, phoneForm } from '#directory/operators.ts'
import { collectionStatuses, transferStatuses, type Result } from '#payments/payment.ts'
import { momoCollectionData, momoFailureReasonNames, momoTransferData } from '#payments/wire.ts'
import { phoneForms } from './directory.ts'
import {
  acceptedReply,
  storedFields,
  optionalFields,
  paymentGet,
  paymentsList,
  type PaymentShape,
  outflowFields,
  paymentEndFields,
  transferNotFound,
} from './payments.ts'

export function momoTransferSend(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateMomoTransfer',
    method: 'POST',
    idempotent: true,
    path: '/v1/momo/transfer',
    scope: 'payout',
    tag: 'Mobile money',
    summary: 'Send money to a wallet, a till or a paybill',
    description:
      'A wallet needs `phoneNumber`. An M-PESA till or paybill in Kenya needs `operator` and `accountNumber`, and a paybill ' +
      'also `accountReference`. ' +
      'Idempotent on `reference`: a repeated request with the same amount, number and operator gets the first answer ' +
      'again, with the header `Idempotent-Replayed: true`, and moves no money.',
    body: transferBody,
    data: momoTransfers.schema,
    errors: ['INVALID_OPERATOR', 'INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED', 'PAYOUTS_PAUSED', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const { operator, currency, accountName, phoneNumber, accountNumber, accountReference } = body
      const request = {
        ...body,
        ...storedFields(body),
        operator: operator ?? undefined,
        currency: currency ?? undefined,
        accountName: accountName ?? null,
        phoneNumber: phoneNumber ?? null,
        accountNumber: accountNumber ?? null,
        accountReference: accountReference ?? null,
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
    summary: 'One mobile-money transfer, by its reference',
    description: 'Use it after a timeout or a 5xx to see whether the transfer was accepted.',
  })
}

export function momoTransfersList(payments: Payments): Endpoint {
  return paymentsList(payments, momoTransfers, {
    operationId: 'listMomoTransfers',
    path: '/v1/momo/transfer',
    tag: 'Mobile money',
    summary: 'All mobile-money transfers, the latest first',
    description: 'A page has 20 transfers unless `limit` says otherwise.',
  })
}

export function momoCollect(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateMomoCollection',
    method: 'POST',
    idempotent: true,
    path: '/v1/momo/collection',
    scope: 'collect',
    tag: 'Mobile money',
    summary: 'Ask a customer to pay from a wallet',
    description:
      'The payer approves on the phone (`PENDING`), or gets a one-time code that you send to ' +
      '`POST /v1/momo/collection/verify-otp` (`OTP_REQUIRED`). The payment becomes a deposit. Idempotent on ' +
      '`reference`, as transfers are.',
    body: z.object({
      ...walletFields,
      customerName: text(100).nullish().describe('The sender name of the deposit. Default: the phone number.'),
      ...optionalFields,
    }),
    data: momoCollections.schema,
    errors: ['INVALID_OPERATOR', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const { operator, currency, customerName } = body
      const request = {
        ...body,
        ...storedFields(body),
        operator: operator ?? undefined,
        currency: currency ?? undefined,
        customerName: customerName ?? null,
      }
      const outcome = await payments.collect(caller.tenant, request, caller)
      return acceptedReply(momoCollections, outcome, { field: 'operator', value: operator ?? undefined })
    },
  })
}

const operatorRetryAfterSeconds = 5

export function momoVerifyOtp(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'verifyCollectionOtp',
    method: 'POST',
    path: '/v1/momo/collection/verify-otp',
    scope: 'collect',
    tag: 'Mobile money',
    summary: 'Send the one-time code that the payer got',
    description: 'Three wrong codes end the collection. Sending the right code again changes nothing.',
    body: z.object({ reference, otp }),
    data: momoCollections.schema,
    errors: ['COLLECTION_NOT_FOUND', 'INVALID_OTP', 'OTP_EXPIRED', 'CONFLICT'],
    handle: async ({ caller, body }) => {
      const outcome = await payments.verifyOtp(caller.tenant, body.reference, body.otp)
      switch (outcome.kind) {
        case 'accepted':
          return { data: momoCollections.show(outcome.payment) }
        case 'wrong':
          throw wrongCode(outcome.attemptsLeft)
        case 'expired':
          throw new ApiError('OTP_EXPIRED', 'The code has expired. Start a new collection with a new reference.')
        case 'not-found':
          throw momoCollections.notFound()
        case 'not-waiting':
          throw new ApiError('CONFLICT', `The collection is ${outcome.payment.status} and does not wait for a code.`)
        case 'unavailable':
          throw new Unavailable('The operator does not respond now. Send the code again shortly.', {
            retryAfterSeconds: operatorRetryAfterSeconds,
          })
        default:
          return unreachable(outcome)
      }
    },
  })
}

function wrongCode(attemptsLeft: number): ApiError {
  const left = attemptsLeft === 1 ? '1 attempt is left' : `${attemptsLeft} attempts are left`
  const next = attemptsLeft === 0 ? 'no attempt is left and the collection has failed' : left
  return new ApiError('INVALID_OTP', `The code is wrong: ${next}.`, {
    details: [{ field: 'otp', message: `is wrong; ${left}` }],
  })
}

export function momoCollectionGet(payments: Payments): Endpoint {
  return paymentGet(payments, momoCollections, {
    operationId: 'getMomoCollection',
    path: '/v1/momo/collection/:reference',
    tag: 'Mobile money',
    summary: 'One collection, by its reference',
    description: 'Use it after a timeout or a 5xx to see whether the collection was accepted.',
  })
}

export function momoCollectionsList(payments: Payments): Endpoint {
  return paymentsList(payments, momoCollections, {
    operationId: 'listMomoCollections',
    path: '/v1/momo/collection',
    tag: 'Mobile money',
    summary: 'All collections, the latest first',
    description: 'A page has 20 collections unless `limit` says otherwise.',
  })
}

/** Converted to E.164. */
const phoneNumber = z
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
      '08030000000, 2348030000000 or +2348030000000; for other countries +233240000000. Responses show +2348030000000.',
  })

/** Numbers are ported, so the operator that the caller names takes precedence over the prefix. */
const operatorField = text(100)
  .nullish()
  .describe('The slug of an operator from GET /v1/momo/operators. Default: the operator of the prefix of the number.')

/** A payment is in the currency of its operator. If the caller names another one, acceptance refuses the payment. */
const operatorCurrency = currencyName
  .nullish()
  .describe('The currency of the operator, which is also the default. Any other is refused.')

const otp = z
  .string('must be a string of 4 to 8 digits: as a number it would lose its leading zeros')
  .regex(/^\d{4,8}$/, 'must be 4 to 8 digits')

const businessNumber = z
  .string('must be a string of 5 to 7 digits: as a number it would lose its leading zeros')
  .regex(businessNumberForm, 'must be the 5 to 7 digits of the till or paybill')

const accountReference = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(20, 'must have at most 20 characters')
  .regex(/^[A-Za-z0-9./ -]+$/, 'must hold only letters, digits, spaces and - . /')

const walletFields = { reference, amount, phoneNumber, operator: operatorField, currency: operatorCurrency }

const transferBody = z
  .object({
    ...walletFields,
    phoneNumber: phoneNumber.nullish().meta({
      description:
        'The number of a wallet; required unless `operator` is a till or paybill. 08030000000, 2348030000000 or ' +
        '+2348030000000; for other countries +233240000000. Responses show +2348030000000.',
    }),
    accountNumber: businessNumber
      .nullish()
      .describe('The number of a till or paybill; required for those, 5 to 7 digits.'),
    accountReference: accountReference
      .nullish()
      .describe('The account at a paybill, such as a bill number or a bank account number; required for paybills.'),
    accountName: text(100).nullish(),
    ...optionalFields,
  })
  // Runs even if other fields are wrong, so that the caller gets all errors at once.
  .superRefine((body, context) => requireRecipient(body, context), { when: ({ value }) => isObject(value) })

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type RecipientParts = { [field in 'operator' | 'phoneNumber' | 'accountNumber' | 'accountReference']?: unknown }

/** The operator decides which fields name the recipient. Acceptance refuses an operator that does not exist. */
function requireRecipient(body: RecipientParts, context: z.RefinementCtx): void {
  const fault = (field: keyof RecipientParts, message: string, code: 'required' | 'not_allowed'): void =>
    context.addIssue({ code: 'custom', path: [field], ...coded(`${field} ${message}`, code) })
  const has = (field: keyof RecipientParts): boolean => body[field] !== undefined && body[field] !== null
  const operator = typeof body.operator === 'string' ? findOperator(body.operator) : undefined
  const { recipient = 'phone', name = '' } = operator ?? {}
  if (recipient === 'phone') {
    const isUnknown = has('operator') && operator === undefined
    if (!has('phoneNumber') && !(isUnknown && has('accountNumber'))) fault('phoneNumber', 'is required', 'required')
    if (has('accountNumber') && !isUnknown)
      fault(
        'accountNumber',
        'is for tills and paybills: leave it out, or send mpesa-till or mpesa-paybill as operator',
        'not_allowed',
      )
    if (has('accountReference') && !isUnknown)
      fault('accountReference', 'is for paybills: leave it out, or send mpesa-paybill as operator', 'not_allowed')
    return
  }
  if (has('phoneNumber'))
    fault('phoneNumber', `is not for ${name}: leave it out, and send accountNumber`, 'not_allowed')
  if (!has('accountNumber'))
    fault('accountNumber', `is required for ${name}: send the 5 to 7 digits of its number`, 'required')
  if (recipient === 'paybill' && !has('accountReference'))
    fault('accountReference', `is required for ${name}: send the account at the paybill`, 'required')
  if (recipient === 'till' && has('accountReference'))
    fault('accountReference', `is for paybills: leave it out for ${name}`, 'not_allowed')
}

const operatorReference = z.string().nullable().describe('The operator’s own reference. Null until it has succeeded.')
const tail = { failureReason: z.enum(momoFailureReasonNames).nullable(), ...paymentEndFields }

const transferSchema = record('MomoTransfer', {
  id: z.string().describe('mtr_…'),
  reference: z.string(),
  ...outflowFields,
  phoneNumber: z.string().nullable().describe('Null for tills and paybills.'),
  accountNumber: z.string().nullable().describe('The number of a till or paybill; null for wallets.'),
  accountReference: z.string().nullable().describe('The account at a paybill; null for wallets and tills.'),
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
      'True if the status is SUCCESS or FAILED. A collection that failed with EXPIRED or OTP_EXPIRED still becomes SUCCESS if the operator received the money after all.',
    ),
  requiresOtp: z
    .boolean()
    .describe('True if the payer gets a one-time code, which you send to POST /v1/momo/collection/verify-otp.'),
  otpExpiresAt: timeData.nullable(),
  expiresAt: timeData.describe('When it fails if the payer has not approved it by then.'),
  amount: koboData,
  fee: koboData.describe('Taken from the amount when it succeeds.'),
  currency: z.string(),
  phoneNumber: z.string(),
  operator: z.string(),
  narration: z.string().nullable(),
  operatorReference,
  depositReference: z.string().nullable().describe('The reference of its deposit. Null until it has succeeded.'),
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
