// Health, readiness and metrics for the operator on a port of their own. If METRICS_PORT is set, every process serves
// them on that port, also a process that only runs workers. No key is needed, and no data of a business is shown. The
// public port has pages of its own (public-pages.ts), which also use `createReadiness`.

import { type IncomingMessage, createServer, type ServerResponse } from 'node:http'
import { version } from '#config.ts'
import { minuteMs } from '#platform/durations.ts'
import { Unavailable } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { answerHalfClosed, listen } from './server.ts'

/**
 * Resolves with the migrations that this version needs and the database lacks. Rejects if the database cannot be
 * read.
 */
export type Readiness = () => Promise<string[]>

/**
 * Callers need no key and have no rate limit, so concurrent checks share one query to the database. Once `leaving` is
 * aborted, the check fails although the process still serves for a while (STOP_DELAY_SECONDS), so that proxies send
 * requests elsewhere.
 */
export function createReadiness(missingMigrations: () => Promise<string[]>, leaving?: AbortSignal): Readiness {
  let pending: Promise<string[]> | undefined
  return () => {
    if (leaving?.aborted === true) return Promise.reject(new Unavailable('The process is about to stop.'))
    pending ??= missingMigrations()
      .catch((error: unknown) => {
        if (error instanceof Unavailable) throw error
        throw new Unavailable('The database cannot be read.', { cause: error, retryAfterSeconds: 5 })
      })
      .finally(() => (pending = undefined))
    return pending
  }
}

export const behind = 'The database is behind this version. Run: manilla migrate'

type OperationServer = { listen(): Promise<number>; close(): Promise<void> }

type OperationServerOptions = {
  metrics: Metrics
  log: Log
  host: string
  port: number
  readiness: Readiness
  stopping: () => boolean
}

type TextReply = { status: number; type: string; text: string }

/** A scraper or a load balancer keeps one or two connections open. */
const connectionsMax = 64
const requestMs = 10_000
/** A connection without traffic is cut after this. */
const stalledMs = minuteMs

export function createOperationServer(options: OperationServerOptions): OperationServer {
  const pages = new Map<string, () => Promise<TextReply>>([
    ['/health', () => Promise.resolve(json(200, { status: 'ok', version }))],
    ['/ready', () => readinessReply(options)],
    ['/metrics', () => metricsReply(options.metrics)],
  ])
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    const page = pages.get(request.url?.split('?')[0] ?? '')
    if (page === undefined) response.writeHead(404).end()
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    } else void answer(options.log, { request, response }, page)
  })
  server.maxConnections = connectionsMax
  server.timeout = stalledMs
  answerHalfClosed(server)
  return {
    listen: () => listen(server, options.host, options.port, 'METRICS_PORT'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  log: Log,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  page: () => Promise<TextReply>,
): Promise<void> {
  try {
    const { status, type, text } = await page()
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) })
    response.end(request.method === 'HEAD' ? undefined : text)
  } catch (error) {
    log.error({ err: error, path: request.url?.split('?')[0] }, 'could not answer an operator request')
    response.writeHead(500).end()
  }
}

async function readinessReply({ readiness, stopping }: OperationServerOptions): Promise<TextReply> {
  if (stopping()) return json(503, { status: 'stopping' })
  try {
    const missing = await readiness()
    return missing.length === 0
      ? json(200, { status: 'ready' })
      : json(503, { status: 'behind', message: behind, missing })
  } catch (error) {
    if (error instanceof Unavailable) return json(503, { status: 'unavailable', message: error.message })
    throw error
  }
}

async function metricsReply(metrics: Metrics): Promise<TextReply> {
  return { status: 200, type: metrics.registry.contentType, text: await metrics.text() }
}

function json(status: number, body: object): TextReply {
  return { status, type: 'application/json; charset=utf-8', text: `${JSON.stringify(body)}\n` }
}
