// The catalog of errors that a caller can get. Code reports a failure in one of these ways:
//   - an outcome, returned by a module when a business rule refuses (a plain union, not in this file);
//   - an ApiError, thrown by endpoints and parsers, with a code of this catalog;
//   - a bug, thrown by `assert`; the caller gets one fixed sentence, the log gets the stack;
//   - `Unavailable`: a dependency (database, rail, a full queue) cannot take work now;
//   - `OperatorError`: one sentence for the operator who runs a command.

import type { Currency } from './money.ts'

export const apiErrorStatus = {
  PARSE_ERROR: 400,
  VALIDATION_ERROR: 400,
  UNSUPPORTED_API_VERSION: 400,
  TRANSFER_NOT_FOUND: 400,
  COLLECTION_NOT_FOUND: 400,
  INVALID_BANK: 400,
  ACCOUNT_NOT_RESOLVED: 400,
  INSUFFICIENT_BALANCE: 400,
  LIMIT_EXCEEDED: 400,
  INVALID_OPERATOR: 400,
  PHONE_NOT_RESOLVED: 400,
  INVALID_OTP: 400,
  OTP_EXPIRED: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  PAYOUTS_PAUSED: 403,
  NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

const dashboardErrorStatus = {
  STEP_UP_REQUIRED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  SECOND_PAYOUT: 409,
  APPROVAL_REQUIRED: 403,
  MISDIRECTED: 421,
} as const

export const errorStatus = { ...apiErrorStatus, ...dashboardErrorStatus } as const

export type ErrorCode = keyof typeof errorStatus

/** The codes of field errors, for programs. A later release may add codes. */
export const fieldErrorCodes = {
  required: 'The field is missing.',
  wrong_type: 'The value has another JSON type.',
  wrong_format: 'The text does not have the form of this field.',
  not_allowed: 'The value is not one of those that this field allows.',
  not_a_whole_number: 'The number has a fraction.',
  not_a_multiple: 'The amount is not a multiple of `step`.',
  below_minimum: 'The number is below `min`.',
  above_maximum: 'The number is above `max`.',
  outside_range: 'The amount is not from `min` to `max`, or in none of `ranges`.',
  too_short: 'The text has fewer than `min` characters.',
  too_long: 'The text has more than `max` characters.',
  too_few: 'The list has fewer than `min` items.',
  too_many: 'The list or object has more than `max` items.',
  in_use: 'Another record has this value.',
  differs: 'The record with this reference has another value.',
  insufficient_balance: 'The available balance is `available`; amount and fee need `required`.',
  over_payment_limit: 'One payout may be at most `max`.',
  over_daily_limit: 'Payouts may be at most `max` until `resetsAt`.',
  invalid: 'The value is wrong in another way, which `message` says.',
} as const

export type FieldErrorCode = keyof typeof fieldErrorCodes

export type FieldErrorParams = {
  min?: number
  max?: number
  ranges?: { min: number; max: number }[]
  step?: number
  required?: number
  available?: number
  currency?: Currency
  resetsAt?: string
}

/** Without a `code`, the code is `invalid`. */
export type FieldError = { field: string; message: string; code?: FieldErrorCode; params?: FieldErrorParams }

type ApiErrorOptions = {
  details?: FieldError[]
  headers?: Record<string, string>
  /** Written to the log under the request id, and never sent to a caller. */
  internal?: unknown
}

/** Thrown by endpoints and parsers. `message` is public text. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: (FieldError & { code: FieldErrorCode })[] | undefined
  readonly headers: Record<string, string>
  readonly internal: unknown

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.details = options.details?.map((detail) => ({ ...detail, code: detail.code ?? 'invalid' }))
    this.headers = options.headers ?? {}
    this.internal = options.internal
  }
}

/** A dependency cannot take this work now; nothing is known to be wrong with the work itself. Becomes a 503. */
export class Unavailable extends Error {
  readonly retryAfterSeconds: number

  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'Unavailable'
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
  }
}

export class OperatorError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'OperatorError'
  }
}

/** One line without a stack: `The database cannot be reached right now. (ECONNREFUSED …)`. */
export function briefMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message} (${error.cause.message})`
    : error.message
}
