// Writes every response of the API: the envelope, the common headers (quota, version, cross-origin), and the body.

import { STATUS_CODES } from 'node:http'
import type { Quota } from '#businesses/quota.ts'
import { present } from '#platform/assert.ts'
import { errorStatus, type ErrorCode, type FieldError, ApiError, Unavailable } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Reply } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import { hasBody, isBroken } from './input.ts'

export const apiVersion = 'v1'

const acceptedHeaders = ['Origin', 'Content-Type', 'Accept', 'Authorization', 'X-Request-ID', 'X-API-Version']

const exposedHeaders = [
  'X-Request-ID',
  'X-API-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
].join(', ')

/** An array of name, value, name, value, …: Node writes this form without building an object. */
function commonHeaders(requestId: string, quota: Quota): string[] {
  return [
    'X-Request-ID',
    requestId,
    'X-API-Version',
    apiVersion,
    'X-RateLimit-Limit',
    String(quota.limit),
    'X-RateLimit-Remaining',
    String(quota.remaining),
    'X-RateLimit-Reset',
    String(quota.resetAtSeconds),
    'X-Content-Type-Options',
    'nosniff',
    'Cache-Control',
    'no-store',
  ]
}

/** Every origin may call the API: it uses no cookies, so a page cannot abuse those of its visitor. */
const crossOriginHeaders = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', exposedHeaders]

export function successBody(requestId: string, reply: Reply): string {
  const meta = reply.pagination === undefined ? undefined : { pagination: reply.pagination }
  return JSON.stringify({ success: true, data: reply.data, meta, requestId })
}

type Failure = {
  code: ErrorCode
  message: string
  details?: FieldError[] | undefined
  headers: Record<string, string>
}

function failureStatus(failure: Failure): number {
  return errorStatus[failure.code]
}

function failureBody(requestId: string, failure: Failure, nowMs: number): string {
  const { code, message, details } = failure
  const error = { code, message, details }
  return JSON.stringify({ success: false, error, requestId, timestamp: new Date(nowMs).toISOString() })
}

/**
 * Maps a thrown error to an error response. An error of another type is a bug of ours: the caller gets a fixed message,
 * and the log gets the stack with the request id.
 */
export function failureOf(error: unknown, log: Log, requestId: string): Failure {
  if (error instanceof ApiError) {
    if (error.internal !== undefined) log.warn({ requestId, code: error.code, internal: error.internal }, error.message)
    return { code: error.code, message: error.message, details: error.details, headers: error.headers }
  }
  if (error instanceof Unavailable) {
    // A full queue is visible in the metrics; a log line for each refusal would only add to the load.
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
 * Returns the fields of an error that may be logged. Errors of the database driver also contain the failed row
 * (`detail`, `where`), and data that a caller sent must not reach the log.
 */
export function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: `something that is not an Error was thrown: ${typeof error}` }
  const { name, message, stack, code, table, constraint } = error as Error &
    Record<'code' | 'table' | 'constraint', unknown>
  return { type: name, message, stack, code, table, constraint, cause: causeOf(error) }
}

const jsonType = ['Content-Type', 'application/json; charset=utf-8']
const optionsHeaders = [
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers',
  acceptedHeaders.join(', '),
  'Access-Control-Max-Age',
  '86400',
]

export function answer(
  exchange: Exchange,
  status: number,
  body: string | Buffer,
  headers: string[],
  type = jsonType,
): void {
  const length = ['Content-Length', String(Buffer.byteLength(body))]
  exchange.response.writeHead(status, [...headersOf(exchange), ...type, ...length, ...headers])
  finish(exchange, body)
}

type FileAnswer = { status: 200 | 304; body: Buffer | undefined; cacheControl: string; headers: string[] }

/** Unlike other responses, this one may be cached. `body` is undefined if the caller has a current copy (304). */
export function answerFile(exchange: Exchange, { status, body, cacheControl, headers }: FileAnswer): void {
  const common = headersOf(exchange)
  common[common.indexOf('Cache-Control') + 1] = cacheControl
  const length = body === undefined ? [] : ['Content-Length', String(body.length)]
  exchange.response.writeHead(status, [...common, ...headers, ...length])
  finish(exchange, body ?? '')
}

export function answerFailure(exchange: Exchange, failure: Failure, nowMs: number): void {
  const headers = Object.entries(failure.headers).flat()
  answer(exchange, failureStatus(failure), failureBody(exchange.requestId, failure, nowMs), headers)
}

export function answerOptions(exchange: Exchange): void {
  exchange.response.writeHead(204, [...headersOf(exchange), ...optionsHeaders])
  finish(exchange, '')
}

export function redirect(exchange: Exchange, location: string): void {
  answer(exchange, 302, '', ['Location', location], ['Content-Type', 'text/plain; charset=utf-8'])
}

export function beginDownload(exchange: Exchange, { name, type }: { name: string; type: string }): void {
  const file = ['Content-Type', type, 'Content-Disposition', `attachment; filename="${name}"`]
  exchange.response.writeHead(200, [...headersOf(exchange), ...file])
}

/** Starts a stream, which ends when either side closes it. X-Accel-Buffering stops proxies from holding events back. */
export function beginStream(exchange: Exchange, type: string): void {
  exchange.response.writeHead(200, [...headersOf(exchange), 'Content-Type', type, 'X-Accel-Buffering', 'no'])
  exchange.response.flushHeaders()
}

function headersOf({ requestId, quota, forAnyOrigin, guards }: Exchange): string[] {
  const common = commonHeaders(requestId, present(quota, 'an answer shows a quota'))
  return forAnyOrigin ? [...common, ...crossOriginHeaders] : [...common, ...guards]
}

export const restBytesMax = 8 * 1024 * 1024
export const restSilenceMsMax = 2_000
const restMsMax = 10_000
/** How long a connection stays open after invalid HTTP or a broken body, so that the client can read the error. */
export const lastWordMs = 2_000

/**
 * A caller that is refused while it still sends its body would see a reset instead of the response if we closed the
 * connection now. So we send the response at once, but end it only after we have read and discarded the rest of the
 * body. If the rest is larger or takes longer than the limits above, we cut the connection.
 */
function finish({ request, response }: Exchange, body: string | Buffer): void {
  const { socket } = request
  if (request.complete || request.destroyed || socket.destroyed || !hasBody(request)) {
    response.end(body)
    return
  }
  response.write(body)
  response.flushHeaders() // A response without a body (HEAD, 204) was not sent by the write above.
  let left = restBytesMax
  const cut = (): void => {
    if (response.socket === null) silence.refresh() // This response still waits for earlier ones of the connection.
    else {
      response.end()
      socket.destroy()
    }
  }
  const silence = setTimeout(cut, restSilenceMsMax)
  const limit = setTimeout(cut, isBroken(request) ? lastWordMs : restMsMax)
  const discard = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) cut()
    else silence.refresh()
  }
  const end = (): void => {
    clearTimeout(silence)
    clearTimeout(limit)
    request.off('data', discard) // A late chunk would restart the timer.
    request.off('close', end)
    socket.off('close', end)
    response.end()
  }
  request.removeAllListeners('data')
  request.on('data', discard)
  request.on('close', end)
  // If the body never arrives, Node emits no `close` for the request once its response has ended, only for the socket.
  socket.on('close', end)
  request.resume()
}

/** The text of an error response to invalid HTTP, for which Node has no response object. */
export function rawAnswer(requestId: string, quota: Quota, failure: Failure, nowMs: number): string {
  const body = failureBody(requestId, failure, nowMs)
  const common = [...commonHeaders(requestId, quota), ...crossOriginHeaders]
  const headers = [...common, ...jsonType, 'Content-Length', String(Buffer.byteLength(body))]
  const status = failureStatus(failure)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date(nowMs).toUTCString()}`]
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`
}
