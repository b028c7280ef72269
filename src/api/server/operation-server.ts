// Health, readiness and metrics for the operator. Every process serves them on a separate port (METRICS_HOST,
// METRICS_PORT), a process that only runs workers too. No key is needed, and no data of a business is shown.

import { type IncomingMessage, createServer, type ServerResponse } from 'node:http'
import { version } from '#config.ts'
import { minuteMs } from '#platform/durations.ts'
import { errorStatus, Unavailable } from '#platform/errors.ts'
import { isLoopback } from '#platform/http-client/addresses.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { addressOf } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import type { Page } from './exchange.ts'
import { answerHalfClosed, listen } from './server.ts'
import { noticesRoute } from './rail-notices.ts'
import { hungUpStatus } from './request-log.ts'

/** Headers that proxies add to a request that they forward. */
const forwarding =
  /^(x-forwarded-.+|forwarded|via|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-.+|fastly-.+)$/

/**
 * Behind a proxy on this machine every caller has a loopback address. A proxied request is recognized by its public
 * host name or by a header that proxies add. A proxy that does neither cannot be recognized; METRICS_PORT exists for
 * that case.
 */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const host = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(request.headers.host ?? '')
  const name = host?.[1] ?? host?.[2] ?? ''
  return (
    isLoopback(addressOf(request.socket)) &&
    (name.toLowerCase() === 'localhost' || isLoopback(name)) &&
    !Object.keys(request.headers).some((header) => forwarding.test(header))
  )
}

/** Statuses that every route that needs a key can answer. */
const statusesOfAll = [200, 400, 401, 403, 429, hungUpStatus, 500, 503]
const statusesOfPages = [200, 405, hungUpStatus, 500, 503]
const statusesOfNone = [204, 400, 401, 404, 405, 429, hungUpStatus, 500, 503]
const statusesOfNotices = [200, 400, 401, 405, 413, 429, hungUpStatus, 500, 503]
const tooLarge = 413

/**
 * Creates every counter of requests at zero. A counter that is created with its first event hides that event, because
 * Prometheus sees no increase.
 */
export function countFromZero({ httpRequests }: Metrics, endpoints: Endpoint[], pages: Iterable<Page>): void {
  const begin = (route: string, statuses: number[]): void => {
    for (const status of statuses) httpRequests.inc({ route, status }, 0)
  }
  begin('none', statusesOfNone)
  begin(noticesRoute, statusesOfNotices)
  for (const { path } of pages) begin(path, statusesOfPages)
  for (const { path, errors, body } of endpoints) {
    begin(path, statusesOfAll)
    begin(
      path,
      errors.map((code) => errorStatus[code]),
    )
    if (body !== undefined) begin(path, [tooLarge])
  }
}

/**
 * Resolves with the migrations that this version needs and the database lacks. Rejects if the database cannot be
 * read.
 */
export type Readiness = () => Promise<string[]>

/**
 * The check needs no key and has no rate limit, so concurrent callers share one query to the database. Once `leaving`
 * is aborted, the process reports that it is not ready but still serves for a while, so that proxies send requests
 * elsewhere.
 */
export function createReadiness(missingMigrations: () => Promise<string[]>, leaving?: AbortSignal): Readiness {
  let looking: Promise<string[]> | undefined
  return () => {
    if (leaving?.aborted === true) return Promise.reject(new Unavailable('The process is about to stop.'))
    looking ??= missingMigrations()
      .catch((error: unknown) => {
        if (error instanceof Unavailable) throw error
        throw new Unavailable('The database cannot be read.', { cause: error, retryAfterSeconds: 5 })
      })
      .finally(() => (looking = undefined))
    return looking
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

type Told = { status: number; type: string; text: string }

/** A scraper or a load balancer keeps one or two connections open. */
const connectionsMax = 64
const requestMs = 10_000
/** A connection without traffic is cut after this. */
const stalledMs = minuteMs

export function createOperationServer(options: OperationServerOptions): OperationServer {
  const pages = new Map<string, () => Promise<Told>>([
    ['/health', () => Promise.resolve(json(200, { status: 'ok', version }))],
    ['/ready', () => tellReadiness(options)],
    ['/metrics', () => tellMetrics(options.metrics)],
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
  page: () => Promise<Told>,
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

async function tellReadiness({ readiness, stopping }: OperationServerOptions): Promise<Told> {
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

async function tellMetrics(metrics: Metrics): Promise<Told> {
  return { status: 200, type: metrics.registry.contentType, text: await metrics.text() }
}

function json(status: number, body: object): Told {
  return { status, type: 'application/json; charset=utf-8', text: `${JSON.stringify(body)}\n` }
}
