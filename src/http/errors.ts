// What was thrown → what the caller is told. Exhaustive by construction: whatever is not known is a bug of ours, which
// the caller learns of in one fixed sentence while the stack goes to the log.

import { ApiError, Unavailable } from '#base/error.ts'
import type { Log } from '#base/log.ts'
import type { Failure } from './envelope.ts'

export function failureOf(error: unknown, log: Log): Failure {
  if (error instanceof ApiError) {
    if (error.internal !== undefined) log.warn({ code: error.code, internal: error.internal }, error.message)
    return { code: error.code, message: error.message, details: error.details, headers: error.headers }
  }
  if (error instanceof Unavailable) {
    // A full queue says so in the metrics; a line for each refusal would only add to the load.
    if (error.cause !== undefined) log.warn({ cause: causeOf(error) }, error.message)
    const headers = { 'Retry-After': String(error.retryAfterSeconds) }
    return { code: 'SERVICE_UNAVAILABLE', message: error.message, headers }
  }
  log.error({ err: error }, 'unhandled error')
  return { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side. It was logged under this request id.', headers: {} }
}

function causeOf(error: Error): string | undefined {
  return error.cause instanceof Error ? error.cause.message : undefined
}
