// The listening socket: limits for slow and broken clients, an answer to what is not HTTP, and an orderly end.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '#base/clock.ts'
import { minuteMs } from '#base/durations.ts'
import { ApiError } from '#base/error.ts'
import { lastWordMs, rawAnswer } from './answer.ts'
import { breakBody } from './body.ts'
import { addressOf } from './caller-address.ts'
import type { ConnectionLimits, Connections } from './connections.ts'
import { listen } from './listen.ts'
import type { RateLimit } from './steps/rate-limit.ts'
import { requestIdOf } from './steps/request-id.ts'
import type { Pipeline } from './pipeline.ts'

export type HttpLimits = ConnectionLimits & {
  /** Request line and headers together. */
  headerBytesMax: number
  /** A client has this long to send all headers. */
  headersMs: number
  /** … and this long for headers and body together. */
  requestMs: number
  /** A connection without a request is closed after this; longer than the usual balancer's 60 s. */
  idleMs: number
  /** A connection on which nothing moves is cut after this: a client that does not read holds its answer in our memory. */
  stalledMs: number
  /** How often the time limits of a request are checked. */
  checkMs: number
  /**
   * About so many keys a minute of which nothing is known yet the database is asked for one network: far more than a business
   * has, and nothing beside what the database can answer.
   */
  guessesPerNetworkMax: number
  /** What is in flight at a stop may take this long. */
  drainMs: number
}

export const httpLimits: HttpLimits = {
  headerBytesMax: 16 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 65_000,
  stalledMs: minuteMs,
  checkMs: 1_000,
  connectionsMax: 10_000,
  connectionsPerNetworkMax: 1_000,
  guessesPerNetworkMax: 6_000,
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
  rateLimit: RateLimit
  connections: Connections
}

type ClientSocket = Duplex & { remoteAddress?: string; bytesRead?: number }

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { limits, connections } = options
  const server = createBareServer(limits)
  const refused = new WeakSet<Duplex>()

  server.on('connection', (socket) => connections.admit(socket))
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    if (connections.newestOf(request.socket)?.framing.isLast === true) return
    connections.begin(request.socket, options.pipeline(request, response))
  }
  server.on('request', receive)
  // Whether a body is wanted at all is decided in the pipeline; unknown expectations are not a reason to refuse.
  server.on('checkContinue', receive)
  server.on('checkExpectation', receive)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: ClientSocket) => {
    // Browsers connect ahead of what they ask for. An answer that nothing was asked for would be taken for one to that.
    if (socket.bytesRead === 0) socket.destroy()
    else refuse(socket, faultOf(error), randomUUID())
  })
  server.on('connect', (request, socket) => {
    const fault = new ApiError('ROUTE_NOT_FOUND', 'No route for CONNECT')
    refuse(socket, fault, requestIdOf(request.headers['x-request-id']))
  })

  /** Answers come in the order of the requests, so what is wrong with the last one waits for those before it. */
  function refuse(socket: ClientSocket, fault: ApiError, requestId: string): void {
    if (refused.has(socket)) return // What else it sends is not looked at.
    refused.add(socket)
    const newest = connections.newestOf(socket)?.response
    if (!socket.writable) socket.destroy()
    else if (newest === undefined || newest.closed) sayLastWord(socket, fault, requestId)
    else if (newest.req.complete) newest.on('close', () => sayLastWord(socket, fault, requestId))
    else if (newest.headersSent) {
      // Refused before its body broke. Once that answer has left, nothing else will come; the rest is passed over.
      if (newest.socket !== null) socket.end()
    } else {
      newest.shouldKeepAlive = false
      breakBody(newest.req, fault)
    }
  }

  function sayLastWord(socket: ClientSocket, fault: ApiError, requestId: string): void {
    if (!socket.writable) {
      socket.destroy()
      return
    }
    socket.on('error', () => undefined)
    socket.end(rawAnswer(requestId, options.rateLimit.peek(addressOf(socket)), fault, options.clock.now()))
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), lastWordMs)
    socket.on('close', () => clearTimeout(timer))
  }

  return {
    listen: (host, port) => listen(server, host, port, 'PORT'),
    close: () => drain(server, connections, limits.drainMs),
  }
}

function createBareServer(limits: HttpLimits): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false, // Refused in the pipeline instead, with the envelope and the headers.
    noDelay: true,
  })
  server.timeout = limits.stalledMs
  return server
}

/**
 * Accepts nothing new, lets what is in flight finish, then cuts what is left. A connection that waits for its next (or
 * first) request is closed as well, after a moment in which a request on its way still gets its 503.
 */
function drain(server: Server, connections: Connections, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), drainMs)
    const sweep = setInterval(() => connections.closeIdle(), sweepMs)
    server.close(() => {
      clearTimeout(cut)
      clearInterval(sweep)
      resolve()
    })
  })
}

function faultOf(error: NodeJS.ErrnoException): ApiError {
  const messages: Record<string, string> = {
    ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
    HPE_HEADER_OVERFLOW: 'The request line and headers are too large.',
    HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too large.',
  }
  return new ApiError(
    'PARSE_ERROR',
    messages[error.code ?? ''] ?? 'Could not parse the request: it is not valid HTTP/1.1.',
  )
}
