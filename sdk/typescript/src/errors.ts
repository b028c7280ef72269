// The errors of the SDK. Each has the code, the invalid fields, the id of the request, and whether a write may have taken effect.

import type { BulkTransferResult, ErrorCode, FieldError, Open } from './types.ts'

/** The codes of the service, and the SDK's codes for calls without a usable answer. */
export type Code = Open<
  ErrorCode | 'ABORTED' | 'CONNECTION_FAILED' | 'INVALID_ARGUMENT' | 'STILL_PENDING' | 'TIMEOUT' | 'UNREADABLE_ANSWER'
>

export type Kind =
  | 'argument'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'rate_limit'
  | 'invalid_request'
  | 'server'
  | 'timeout'
  | 'connection'
  | 'unreadable'

export type ErrorFields = {
  code: Code
  message: string
  status?: number
  headers?: Headers | undefined
  details?: readonly FieldError[]
  requestId?: string
  /** The value of `Retry-After`. */
  retryAfterSeconds?: number | undefined
  unclear?: boolean
  cause?: unknown
}

/** Every error that the SDK throws. */
export class ManillaError extends Error {
  override readonly name: string = 'ManillaError'
  readonly kind: Kind
  readonly code: Code
  /** The HTTP status; 0 if no answer came. */
  readonly status: number
  /** The headers of the answer, if one came. */
  readonly headers: Headers | undefined
  readonly details: readonly FieldError[]
  /** Quote it when you report a problem. */
  readonly requestId: string
  readonly retryAfterSeconds: number | undefined
  /**
   * True if the outcome of a write is unknown: it may have taken effect. Read the record by its reference before you do
   * anything else about it.
   */
  readonly unclear: boolean
  /** For a bulk call that failed in a later part: the results of the earlier parts. */
  results: readonly BulkTransferResult[] | undefined

  constructor(kind: Kind, fields: ErrorFields) {
    super(fields.message, { cause: fields.cause })
    this.kind = kind
    this.code = fields.code
    this.status = fields.status ?? 0
    this.headers = fields.headers
    this.details = fields.details ?? []
    this.requestId = fields.requestId ?? ''
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.unclear = fields.unclear ?? false
    this.results = undefined
  }
}

/** The arguments are invalid; nothing was sent. */
export class ArgumentError extends ManillaError {
  override readonly name = 'ArgumentError'
  constructor(message: string) {
    super('argument', { code: 'INVALID_ARGUMENT', message })
  }
}

/** 401: the key is missing, wrong, revoked, or of the other environment. */
export class AuthenticationError extends ManillaError {
  override readonly name = 'AuthenticationError'
}
/** 403: the key may not do this, or payouts are paused. */
export class PermissionError extends ManillaError {
  override readonly name = 'PermissionError'
}
/** There is no such record. */
export class NotFoundError extends ManillaError {
  override readonly name = 'NotFoundError'
}
/** 409: a record contradicts the request, for instance another payment with the same reference. */
export class ConflictError extends ManillaError {
  override readonly name = 'ConflictError'
}
/** 429: wait `retryAfterSeconds`, then send the same request again. */
export class RateLimitError extends ManillaError {
  override readonly name = 'RateLimitError'
}
/** Any other 3xx or 4xx: correct the request. `details` names the invalid fields. */
export class InvalidRequestError extends ManillaError {
  override readonly name = 'InvalidRequestError'
}
/** 5xx, after all attempts. */
export class ServerError extends ManillaError {
  override readonly name = 'ServerError'
}
/** No complete answer arrived in time, or a payment was still pending when `waitFor` ended. */
export class TimeoutError extends ManillaError {
  override readonly name = 'TimeoutError'
}
/** The connection failed or broke, or the caller ended the call. */
export class ConnectionError extends ManillaError {
  override readonly name = 'ConnectionError'
}
/** The answer is a success, but its body cannot be read. */
export class UnreadableAnswerError extends ManillaError {
  override readonly name = 'UnreadableAnswerError'
}

const classes = {
  authentication: AuthenticationError,
  permission: PermissionError,
  not_found: NotFoundError,
  conflict: ConflictError,
  rate_limit: RateLimitError,
  invalid_request: InvalidRequestError,
  server: ServerError,
  timeout: TimeoutError,
  connection: ConnectionError,
  unreadable: UnreadableAnswerError,
}

export type Failure = { kind: keyof typeof classes } & ErrorFields

export function errorOf({ kind, ...fields }: Failure): ManillaError {
  return new classes[kind](kind, fields)
}

export function kindOf(status: number, code: string): Failure['kind'] {
  if (status >= 500) return 'server'
  if (status === 401) return 'authentication'
  if (status === 403) return 'permission'
  if (status === 404 || code === 'TRANSFER_NOT_FOUND' || code === 'COLLECTION_NOT_FOUND') return 'not_found'
  if (status === 409) return 'conflict'
  return status === 429 ? 'rate_limit' : 'invalid_request'
}
