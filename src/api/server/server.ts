// The listening socket: limits for slow and broken clients, responses to invalid HTTP, and an orderly shutdown.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import { ApiError, OperatorError } from '#platform/errors.ts'
import { createServer as createNetServer, type AddressInfo, type Server as NetServer } from 'node:net'
import { lastWordMs, rawAnswer } from './answer.ts'
import { addressOf } from './caller-address.ts'
import type { ConnectionLimits, Connections } from './connections.ts'
import { requestIdOf } from './exchange.ts'
import { breakBody } from './input.ts'
import type { Pipeline } from './pipeline.ts'
import type { RateLimit } from './rate-limit.ts'

export type HttpLimits = ConnectionLimits & {
  /** Request line and headers together. */
  headerBytesMax: number
  headersMs: number
  /** The time that a client has to send headers and body together. */
  requestMs: number
  /** How long a connection may be idle. Longer than the usual 60 s of load balancers, which should close it first. */
  idleMs: number
  /**
   * A connection without traffic is cut after this time, because the response of a client that does not read stays in
   * our memory.
   */
  stalledMs: number
  /** How often the time limits of a request are checked. */
  checkMs: number
  /**
   * How many unknown keys and session tokens of one network are looked up in the database in a minute: far more than a
   * business has keys, and a negligible load.
   */
  guessesPerNetworkMax: number
  /** How long requests in flight may take when the process stops: less than all of its work together (app.ts). */
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
  drainMs: 25_000,
}

const sweepMs = 50

type HttpServer = {
  listen(host: string, port: number): Promise<number>
  close(): Promise<void>
}

type HttpServerOptions = {
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
  // `Expect: 100-continue` is answered only once the body is wanted (input.ts). Other expectations are ignored.
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
    requireHostHeader: false, // The pipeline refuses its absence instead, with our error body and headers.
    noDelay: true,
  })
  server.timeout = limits.stalledMs
  answerHalfClosed(server)
  return server
}

/**
 * Accepts no new connections and lets requests in flight finish, for at most `drainMs`. Node closes at once the
 * connections that wait for their next request. The sweep closes the connections that have sent no request yet, or
 * whose request has finished since. A first request that arrives before the sweep still gets a 503.
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

// Sends a last error on a connection whose next request is malformed or did not arrive in time.

type RefusalsOptions = {
  limits: { checkMs: number }
  clock: Clock
  rateLimit: RateLimit
  connections: Connections
}

type ClientSocket = Duplex & { remoteAddress?: string; bytesRead?: number }

type Refusals = {
  /** Refuses bytes that are not a valid request, or a request that did not arrive in time. */
  turnAway(socket: ClientSocket, error: NodeJS.ErrnoException): void
  refuse(socket: ClientSocket, fault: ApiError, requestId: string): void
}

const tooLate = 'ERR_HTTP_REQUEST_TIMEOUT'

function createRefusals({ limits, clock, rateLimit, connections }: RefusalsOptions): Refusals {
  const refused = new WeakSet<Duplex>()

  function close(socket: ClientSocket, error: NodeJS.ErrnoException): void {
    // A browser opens connections before it needs them, and would take an error sent now for the response to its next
    // request.
    if (socket.bytesRead === 0) socket.destroy()
    else refuse(socket, faultOf(error), randomUUID())
  }

  /**
   * If the process was blocked, its timers fire before it reads what arrived in time. So this checks once more before it
   * refuses.
   */
  function closeUnlessItArrived(socket: ClientSocket, error: NodeJS.ErrnoException): void {
    const newest = connections.newestOf(socket)
    const wasWhole = newest?.request.complete
    const recheck = (): void => {
      const now = connections.newestOf(socket)
      const hasArrived = now !== newest || now?.request.complete !== wasWhole
      if (!hasArrived && !socket.destroyed) close(socket, error)
    }
    // Node reads all pending input between a timer and `setImmediate`.
    setTimeout(() => setImmediate(recheck), limits.checkMs).unref()
  }

  /** Responses go out in the order of the requests, so the error waits for the responses to earlier requests. */
  function refuse(socket: ClientSocket, fault: ApiError, requestId: string): void {
    if (refused.has(socket)) return // Node reports each further piece of input again.
    refused.add(socket)
    const newest = connections.newestOf(socket)?.response
    if (!socket.writable) socket.destroy()
    else if (newest === undefined || newest.closed) sayLastWord(socket, fault, requestId)
    else if (newest.req.complete) newest.on('close', () => sayLastWord(socket, fault, requestId))
    else if (newest.headersSent) {
      // The response to this request, an early refusal, has already begun, so no second error is sent.
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
    socket.end(rawAnswer(requestId, rateLimit.peek(addressOf(socket)), fault, clock.now()))
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), lastWordMs)
    socket.on('close', () => clearTimeout(timer))
  }

  return {
    turnAway: (socket, error) => (error.code === tooLate ? closeUnlessItArrived : close)(socket, error),
    refuse,
  }
}

function faultOf(error: NodeJS.ErrnoException): ApiError {
  const messages: Record<string, string> = {
    [tooLate]: 'The request took too long to arrive.',
    HPE_HEADER_OVERFLOW: 'The request line and headers are too large.',
    HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too large.',
  }
  return new ApiError(
    'PARSE_ERROR',
    messages[error.code ?? ''] ?? 'Could not parse the request: it is not valid HTTP/1.1.',
  )
}

// Starts to listen. If the port cannot be used, the error tells the operator how to fix it.

const backlog = 1_024 // Connections that the kernel queues while the event loop is busy.

/**
 * Lets a client that closes its side of the connection after its request still get the response. Node drops the
 * response unless `httpAllowHalfOpen` is set, which Node's types lack.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

export function listen(server: NetServer, host: string, port: number, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(portFault(error, host, port, setting))
    server.once('error', fail)
    server.listen({ host, port, backlog }, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Throws if the port cannot be used now; for checks before a start. */
export async function requirePort(host: string, port: number, setting: string): Promise<void> {
  const probe = createNetServer()
  await listen(probe, host, port, setting)
  await new Promise((resolve) => probe.close(resolve))
}

function portFault(error: NodeJS.ErrnoException, host: string, port: number, setting: string): Error {
  if (error.code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} on ${host} is already in use. Stop what uses it, or set ${setting} to another port.`,
    )
  }
  if (error.code === 'EACCES')
    return new OperatorError(`This user may not listen on port ${port}. Set ${setting} to a port above 1023.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    const hostSetting = setting.replace('PORT', 'HOST')
    return new OperatorError(
      `This machine has no address ${host}. Set ${hostSetting} to one that it has, such as 127.0.0.1.`,
    )
  }
  return error
}
