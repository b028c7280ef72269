// The type of an operation's examples in the API reference, and the errors that operations share. All examples tell one
// story of a new business on staging. tests/openapi/story.test.ts plays it on a running service, so each example is true.

import type { ErrorCode, FieldError } from '#platform/errors.ts'
import type { Json } from '#api/openapi/schemas.ts'

export type Refusal = { message: string; details?: FieldError[] }

export type Example = {
  params?: Record<string, string>
  query?: Record<string, string | number>
  request?: Json
  answer: Json
  others?: Record<string, Json>
  /** Errors of this operation. Others are taken from `commonRefusals`. */
  refusals?: Partial<Record<ErrorCode, Refusal>>
}

export function completion(
  noun: 'transfer' | 'collection',
  failed: { reference: string; failureReason: string },
): Example {
  return {
    params: { reference: failed.reference },
    request: { status: 'FAILED', failureReason: failed.failureReason },
    answer: failed,
    refusals: { CONFLICT: { message: `The ${noun} is FAILED: it can no longer become SUCCESS.` } },
  }
}

// An example of each error code, for operations without one of their own.

const field = (name: string, message: string, { code = 'invalid', params }: Partial<FieldError> = {}) => ({
  details: [{ field: name, message, code, ...(params === undefined ? {} : { params }) }],
})
const nul = 'The query contains a NUL character (%00). Remove it.'

export const commonRefusals = {
  PARSE_ERROR: { message: 'Could not parse the request body. Set Content-Type: application/json.' },
  VALIDATION_ERROR: { message: nul, ...field('query', nul) },
  UNSUPPORTED_API_VERSION: { message: 'Supported versions: v1' },
  TRANSFER_NOT_FOUND: { message: 'Transfer not found' },
  COLLECTION_NOT_FOUND: { message: 'Collection not found' },
  INVALID_BANK: {
    message: 'There is no bank with the slug gtbank. Did you mean guaranty-trust-bank? GET /v1/banks lists them.',
    ...field('bankSlug', 'is not the slug of a bank', { code: 'not_allowed' }),
  },
  ACCOUNT_NOT_RESOLVED: {
    message: 'Guaranty Trust Bank has no such account. Check the number and the bank.',
    ...field('accountNumber', 'accountNumber is no account at this bank', { code: 'not_allowed' }),
  },
  INSUFFICIENT_BALANCE: {
    message: 'The balance does not cover amount and fee.',
    ...field('amount', 'required 200000000005000, available 100000000000', {
      code: 'insufficient_balance',
      params: { required: 200_000_000_005_000, available: 100_000_000_000, currency: 'NGN' },
    }),
  },
  LIMIT_EXCEEDED: {
    message: 'One payout may be 100000 kobo at most.',
    ...field('amount', 'at most 100000 in one payment', {
      code: 'over_payment_limit',
      params: { max: 100_000, currency: 'NGN' },
    }),
  },
  INVALID_OPERATOR: {
    message: 'There is no operator with the slug mtn. GET /v1/momo/operators lists them.',
    ...field('operator', 'is not the slug of an operator', { code: 'not_allowed' }),
  },
  PHONE_NOT_RESOLVED: {
    message: 'No wallet has this number. Check the number, or send its operator.',
    ...field('phoneNumber', 'phoneNumber has no wallet', { code: 'not_allowed' }),
  },
  INVALID_OTP: {
    message: 'The code is wrong: 2 attempts are left.',
    ...field('otp', 'is wrong; 2 attempts are left'),
  },
  OTP_EXPIRED: { message: 'The code has expired. Start a new collection with a new reference.' },
  UNAUTHORIZED: { message: 'Session not found. Send your API key as Authorization: Bearer <API_KEY>.' },
  FORBIDDEN: {
    message: 'This key may not be used from 203.0.113.7. Use it from an allowed address, or use another key.',
  },
  PAYOUTS_PAUSED: { message: 'Payouts are paused. Send the same reference again when they go on.' },
  PAYLOAD_TOO_LARGE: { message: 'The body is larger than 100 KiB.' },
  RATE_LIMIT_EXCEEDED: { message: 'Over 60000 requests in this minute. Try again in 12 s.' },
  INTERNAL_ERROR: { message: 'Something went wrong on our side. It was logged under this request id.' },
  SERVICE_UNAVAILABLE: { message: 'Too many requests are waiting. Try again shortly.' },
} satisfies Partial<Record<ErrorCode, Refusal>>

export const simulatorInProduction: Refusal = {
  message: 'This endpoint controls the simulator, which exists only on staging.',
}
