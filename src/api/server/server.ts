// The listening socket: limits for slow and broken clients, responses to invalid HTTP, and an orderly shutdown.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import { ApiError } from '#platform/errors.ts'
import type { ConnectionLimits, Connections } from './connections.ts'
import { answerHalfClosed, listen } from './listen.ts'
import { createRefusals } from './refusals.ts'
import type { RateLimit } from './rate-limit.ts'
import { requestIdOf } from './exchange.ts'
import type { Pipeline } from './pipeline.ts'

export type HttpLimits = ConnectionLimits & {
  /** Request line and headers together. */
  headerBytesMax: number
  /** The time that a client has to send all headers. */
  headersMs: number
  /** The time for headers and body together. */
  requestMs: number
  /** Idle connections are closed after this; longer than the usual load balancer's 60 s. */
  idleMs: number
  /**
   * A connection without traffic is cut after this, because a client that does not read keeps its response in our
   * memory.
   */
  stalledMs: number
  /** How often the time limits of a request are checked. */
  checkMs: number
  /**
   * The look-ups of unknown keys in the database, per minute and network: far more than a business has keys, and a
   * negligible load for the database.
   */
  guessesPerNetworkMax: number
  /** How long requests in flight may take when the process stops. */
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

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { limits, connections } = options
  const server = createBareServer(limits)
  const refusals = createRefusals(options)

  server.on('connection', (socket) => connections.admit(socket))
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    if (connections.newestOf(request.socket)?.framing.isLast === true) return
    connections.begin(request.socket, options.pipeline(request, response))
  }
  server.on('request', receive)
  // The pipeline decides whether it wants a body. An unknown expectation is no reason to refuse.
  server.on('checkContinue', receive)
  server.on('checkExpectation', receive)
  server.on('clientError', (error, socket) => refusals.turnAway(socket, error))
  server.on('connect', (request, socket) => {
    const fault = new ApiError('ROUTE_NOT_FOUND', 'No route for CONNECT')
    refusals.refuse(socket, fault, requestIdOf(request.headers['x-request-id']))
  })

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
    requireHostHeader: false, // The pipeline refuses it instead, with the envelope and the headers.
    noDelay: true,
  })
  server.timeout = limits.stalledMs
  answerHalfClosed(server)
  return server
}

/**
 * Accepts nothing new, lets requests in flight finish, then cuts the rest. Connections that wait for their next or
 * first request are closed too, after a moment in which a request that is on its way still gets its 503.
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
