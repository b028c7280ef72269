// Writes answers. Nothing else touches a response.

import { acceptedHeaders, commonHeaders, failureBody, failureStatus, type Failure } from './envelope.ts'
import type { Exchange } from './exchange.ts'

const jsonType = ['Content-Type', 'application/json; charset=utf-8']
const optionsHeaders = [
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers',
  acceptedHeaders.join(', '),
  'Access-Control-Max-Age',
  '86400',
]

export function answer(exchange: Exchange, status: number, body: string | Buffer, headers: string[], type = jsonType): void {
  const length = ['Content-Length', String(Buffer.byteLength(body))]
  const all = [...commonHeaders(exchange.requestId, exchange.quota), ...type, ...length, ...headers]
  exchange.response.writeHead(status, all)
  exchange.response.end(body)
  discardRest(exchange)
}

export function answerFailure(exchange: Exchange, failure: Failure, nowMs: number): void {
  const headers = Object.entries(failure.headers).flat()
  answer(exchange, failureStatus(failure), failureBody(exchange.requestId, failure, nowMs), headers)
}

export function answerOptions(exchange: Exchange): void {
  exchange.response.writeHead(204, [...commonHeaders(exchange.requestId, exchange.quota), ...optionsHeaders])
  exchange.response.end()
  discardRest(exchange)
}

const restBytesMax = 1024 * 1024
const restTimeMsMax = 5_000

/**
 * A caller that is refused while it still sends would, if we hung up now, see a reset instead of its answer. So what
 * is left of a body is read and forgotten, up to a size and a time; then the connection is cut.
 */
function discardRest({ request, response }: Exchange): void {
  if (request.complete || request.destroyed) return
  let left = restBytesMax
  const cut = (): void => void request.socket.destroy()
  const timer = setTimeout(cut, restTimeMsMax)
  request.removeAllListeners('data')
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) cut()
  })
  request.on('close', () => clearTimeout(timer))
  request.resume()
  response.on('close', () => request.complete && clearTimeout(timer))
}

/** An answer to what was not even HTTP: written by hand, since Node made no response object for it. */
export function rawAnswer(requestId: string, exchange: Pick<Exchange, 'quota'>, failure: Failure, nowMs: number): string {
  const body = failureBody(requestId, failure, nowMs)
  const headers = [...commonHeaders(requestId, exchange.quota), ...jsonType, 'Content-Length', String(Buffer.byteLength(body))]
  const lines = [`HTTP/1.1 ${failureStatus(failure)} ${reason(failureStatus(failure))}`, `Date: ${new Date(nowMs).toUTCString()}`]
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`
}

function reason(status: number): string {
  return status === 404 ? 'Not Found' : 'Bad Request'
}

