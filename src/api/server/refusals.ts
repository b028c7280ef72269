// Sends a last error on a connection whose next request is malformed or did not arrive in time.

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
  /** Refuses bytes that are not a valid request, or a request that did not arrive in time. */
  turnAway(socket: ClientSocket, error: NodeJS.ErrnoException): void
  refuse(socket: ClientSocket, fault: ApiError, requestId: string): void
}

const tooLate = 'ERR_HTTP_REQUEST_TIMEOUT'

export function createRefusals({ limits, clock, rateLimit, connections }: RefusalsOptions): Refusals {
  const refused = new WeakSet<Duplex>()

  function close(socket: ClientSocket, error: NodeJS.ErrnoException): void {
    // Browsers open connections before they need them. They would take an unrequested response for that of their next
    // request.
    if (socket.bytesRead === 0) socket.destroy()
    else refuse(socket, faultOf(error), randomUUID())
  }

  /**
   * After a process was blocked, its timers fire before it reads what arrived in time. So it checks again before it
   * refuses.
   */
  function closeUnlessItCame(socket: ClientSocket, error: NodeJS.ErrnoException): void {
    const newest = connections.newestOf(socket)
    const wasWhole = newest?.request.complete
    const look = (): void => {
      const now = connections.newestOf(socket)
      const hasCome = now !== newest || now?.request.complete !== wasWhole
      if (!hasCome && !socket.destroyed) close(socket, error)
    }
    // All pending input is read between a timer and `setImmediate`.
    setTimeout(() => setImmediate(look), limits.checkMs).unref()
  }

  /** Responses go out in the order of the requests, so this one waits for those before it. */
  function refuse(socket: ClientSocket, fault: ApiError, requestId: string): void {
    if (refused.has(socket)) return // Further input of this connection is ignored.
    refused.add(socket)
    const newest = connections.newestOf(socket)?.response
    if (!socket.writable) socket.destroy()
    else if (newest === undefined || newest.closed) sayLastWord(socket, fault, requestId)
    else if (newest.req.complete) newest.on('close', () => sayLastWord(socket, fault, requestId))
    else if (newest.headersSent) {
      // The request was refused before its body broke. No other request follows on this connection.
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
