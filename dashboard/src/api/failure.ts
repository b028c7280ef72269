// A failed call, as a value that pages can show.

import type { FieldError } from './schema.ts'

export type FailureFacts = {
  /** 0: no answer came at all. */
  status: number
  code: string
  message: string
  details?: readonly FieldError[] | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
}

/** Extends Error, because the query library types what calls throw as Error. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly code: string
  readonly details: readonly FieldError[]
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined

  constructor({ status, code, message, details = [], requestId, retryAfterMs }: FailureFacts) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/** The message of any thrown value. If it is not from the API, the message says that this page failed. */
export function failureOf(thrown: unknown): { message: string; requestId?: string | undefined } {
  if (thrown instanceof ApiFailure) return thrown
  return { message: `Something on this page failed: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
}
