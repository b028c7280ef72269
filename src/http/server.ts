// The listening socket: limits for slow and broken clients, an answer to what is not HTTP, and an orderly end.

import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '#base/clock.ts'
import type { Quota } from '#businesses/quota.ts'
import { rawAnswer } from './answer.ts'
import type { Failure } from './envelope.ts'
import { listen } from './listen.ts'
import type { Pipeline } from './pipeline.ts'

export type HttpLimits = {
  /** A client has this long to send all headers. */
  headersMs: number
  /** … and this long for headers and body together. */
  requestMs: number
  /** A connection without a request is closed after this; longer than the usual balancer's 60 s. */
  idleMs: number
  /** How often the limits above are checked. */
  checkMs: number
  connectionsMax: number
  /** What is in flight at a stop may take this long. */
  drainMs: number
}

export const httpLimits: HttpLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 65_000,
  checkMs: 1_000,
  connectionsMax: 10_000,
  drainMs: 30_000,
}

const sweepMs = 50

export type HttpServer = {
  listen(host: string, port: number): Promise<number>
  close(): Promise<void>
}

export type HttpServerOptions = {
  pipeline: Pipeline
  limits: HttpLimits
  clock: Clock
  /** The quota that an answer outside the pipeline reports. */
  anonymousQuota: (remoteAddress: string | undefined) => Quota
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { limits } = options
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false, // Refused in the pipeline instead, with the envelope and the headers.
    noDelay: true,
  })
  server.maxConnections = limits.connectionsMax
  server.on('request', options.pipeline)
  // Whether a body is wanted at all is decided in the pipeline; unknown expectations are not a reason to refuse.
  server.on('checkContinue', options.pipeline)
  server.on('checkExpectation', options.pipeline)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(socket, failureOfClient(error)))
  server.on('connect', (_request, socket) => refuse(socket, { code: 'ROUTE_NOT_FOUND', message: 'No route for CONNECT', headers: {} }))

  function refuse(socket: Duplex & { remoteAddress?: string }, failure: Failure): void {
    // An answer under way on this connection would be garbled by a second one.
    const busy = (socket as { _httpMessage?: { headersSent?: boolean } | null })._httpMessage?.headersSent === true
    if (busy || !socket.writable) {
      socket.destroy()
      return
    }
    socket.on('error', () => undefined)
    const quota = options.anonymousQuota(socket.remoteAddress)
    socket.end(rawAnswer(randomUUID(), { quota }, failure, options.clock.now()), () => socket.destroy())
  }

  return {
    listen: (host, port) => listen(server, host, port, 'PORT'),
    close: () => drain(server, limits.drainMs),
  }
}

/** Accepts nothing new, lets what is in flight finish, then cuts what is left. */
function drain(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), drainMs)
    // A connection kept alive becomes idle only when its last answer has left.
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
    server.close(() => {
      clearTimeout(cut)
      clearInterval(sweep)
      resolve()
    })
  })
}

function failureOfClient(error: NodeJS.ErrnoException): Failure {
  const messages: Record<string, string> = {
    ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
    HPE_HEADER_OVERFLOW: 'The request line and headers are too large.',
    HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too large.',
  }
  const message = messages[error.code ?? ''] ?? 'Could not parse the request: it is not valid HTTP/1.1.'
  return { code: 'PARSE_ERROR', message, headers: {} }
}
