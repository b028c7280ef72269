// The last word on a connection whose next request cannot be understood, or does not come.

import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Clock } from '#platform/clock.ts'
import { ApiError } from '#platform/errors.ts'
import { lastWordMs, rawAnswer } from './answer.ts'
import { breakBody } from './input.ts'
import { addressOf, type Connections } from './connections.ts'
import type { RateLimit } from './rate-limit.ts'

export type RefusalsOptions = {
  limits: { checkMs: number }
  clock: Clock
  rateLimit: RateLimit
  connections: Connections
}

type ClientSocket = Duplex & { remoteAddress?: string; bytesRead?: number }

export type Refusals = {
  /** What came, or did not come in time, is no request. */
  turnAway(socket: ClientSocket, error: NodeJS.ErrnoException): void
  refuse(socket: ClientSocket, fault: ApiError, requestId: string): void
}

const tooLate = 'ERR_HTTP_REQUEST_TIMEOUT'

export function createRefusals({ limits, clock, rateLimit, connections }: RefusalsOptions): Refusals {
  const refused = new WeakSet<Duplex>()

  function close(socket: ClientSocket, error: NodeJS.ErrnoException): void {
    // Browsers connect ahead of what they ask for. An answer that nothing was asked for would be taken for one to that.
    if (socket.bytesRead === 0) socket.destroy()
    else refuse(socket, faultOf(error), randomUUID())
  }

  /** A process that stood still learns first that time has passed, and then what came in time. */
  function closeUnlessItCame(socket: ClientSocket, error: NodeJS.ErrnoException): void {
    const newest = connections.newestOf(socket)
    const wasWhole = newest?.request.complete
    const look = (): void => {
      const now = connections.newestOf(socket)
      const hasCome = now !== newest || now?.request.complete !== wasWhole
      if (!hasCome && !socket.destroyed) close(socket, error)
    }
    // Between a timer and what is immediate lies all that has come.
    setTimeout(() => setImmediate(look), limits.checkMs).unref()
  }

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
    socket.end(rawAnswer(requestId, rateLimit.peek(addressOf(socket)), fault, clock.now()))
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), lastWordMs)
    socket.on('close', () => clearTimeout(timer))
  }

  return {
    turnAway: (socket, error) => (error.code === tooLate ? closeUnlessItCame : close)(socket, error),
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
