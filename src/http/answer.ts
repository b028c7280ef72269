// Writes answers. Nothing else touches a response.

import { STATUS_CODES } from 'node:http'
import { present } from '#base/assert.ts'
import type { Quota } from '#businesses/quota.ts'
import { hasBody, isBroken } from './body.ts'
import {
  acceptedHeaders,
  commonHeaders,
  crossOriginHeaders,
  failureBody,
  failureStatus,
  type Failure,
} from './envelope.ts'
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

/** What may be kept by who asked for it, unlike everything else that leaves here. Without a body: they have it already. */
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

/** Of a file whose length is known only once it has been made. */
export function beginDownload(exchange: Exchange, { name, type }: { name: string; type: string }): void {
  const file = ['Content-Type', type, 'Content-Disposition', `attachment; filename="${name}"`]
  exchange.response.writeHead(200, [...headersOf(exchange), ...file])
}

/** Of a stream that ends when one of the two wants it. A proxy that gathered it to larger pieces would keep it for ever. */
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
export const restMsMax = 10_000
/** How long a connection stays open after the refusal of what is not HTTP, so that the client can read it. */
export const lastWordMs = 2_000

/**
 * A caller that is refused while it still sends would, if we hung up now, see a reset instead of its answer. So the
 * answer leaves at once, but is not ended before the rest of the body was read and forgotten, up to a size and a time;
 * then the connection is cut.
 */
function finish({ request, response }: Exchange, body: string | Buffer): void {
  const { socket } = request
  if (request.complete || request.destroyed || socket.destroyed || !hasBody(request)) {
    response.end(body)
    return
  }
  response.write(body)
  response.flushHeaders() // An answer without a body (HEAD, 204) has not left with the write above.
  let left = restBytesMax
  const cut = (): void => {
    if (response.socket === null) silence.refresh() // Answers to earlier requests come first; this one has not left.
    else {
      response.end()
      socket.destroy()
    }
  }
  const silence = setTimeout(cut, restSilenceMsMax)
  const limit = setTimeout(cut, isBroken(request) ? lastWordMs : restMsMax)
  const passOver = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) cut()
    else silence.refresh()
  }
  const end = (): void => {
    clearTimeout(silence)
    clearTimeout(limit)
    request.off('data', passOver) // A chunk that is still on its way would start the timer anew.
    request.off('close', end)
    socket.off('close', end)
    response.end()
  }
  request.removeAllListeners('data')
  request.on('data', passOver)
  request.on('close', end)
  // Once its answer has ended, Node no longer closes a request whose body never came: only the socket tells.
  socket.on('close', end)
  request.resume()
}

/** An answer to what was not even HTTP: written by hand, since Node made no response object for it. */
export function rawAnswer(requestId: string, quota: Quota, failure: Failure, nowMs: number): string {
  const body = failureBody(requestId, failure, nowMs)
  const common = [...commonHeaders(requestId, quota), ...crossOriginHeaders]
  const headers = [...common, ...jsonType, 'Content-Length', String(Buffer.byteLength(body))]
  const status = failureStatus(failure)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date(nowMs).toUTCString()}`]
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`
}
