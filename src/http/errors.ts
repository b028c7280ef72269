// What was thrown → what the caller is told. An error of no known kind is a bug of ours, which the caller learns of in
// one fixed sentence while the stack goes to the log, under the request's id.

import { ApiError, Unavailable } from '#base/error.ts'
import type { Log } from '#base/log.ts'
import type { Failure } from './envelope.ts'

export function failureOf(error: unknown, log: Log, requestId: string): Failure {
  if (error instanceof ApiError) {
    if (error.internal !== undefined) log.warn({ requestId, code: error.code, internal: error.internal }, error.message)
    return { code: error.code, message: error.message, details: error.details, headers: error.headers }
  }
  if (error instanceof Unavailable) {
    // A full queue says so in the metrics; a line for each refusal would only add to the load.
    if (error.cause !== undefined) log.warn({ requestId, cause: causeOf(error) }, error.message)
    const headers = { 'Retry-After': String(error.retryAfterSeconds) }
    return { code: 'SERVICE_UNAVAILABLE', message: error.message, headers }
  }
  log.error({ requestId, error: describe(error) }, 'unhandled error')
  return {
    code: 'INTERNAL_ERROR',
    message: 'Something went wrong on our side. It was logged under this request id.',
    headers: {},
  }
}

function causeOf(error: Error): string | undefined {
  return error.cause instanceof Error ? error.cause.message : undefined
}

/**
 * Named fields only: the database driver's errors also carry the row that failed (`detail`, `where`), and what a caller
 * sent has no business in a log.
 */
export function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: `something that is not an Error was thrown: ${typeof error}` }
  const { name, message, stack, code, table, constraint } = error as Error &
    Record<'code' | 'table' | 'constraint', unknown>
  return { type: name, message, stack, code, table, constraint, cause: causeOf(error) }
}
