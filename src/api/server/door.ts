// Builds the HTTP service: endpoints, the pipeline in front of them, and the listening socket.

import { createDashboard, type DashboardParts } from '#api/dashboard/dashboard.ts'
import { docsPages } from '#api/docs/pages.ts'
import { openApiDocument } from '#api/openapi/document.ts'
import type { RefusalLog } from '#audit/refusals.ts'
import type { Keyring } from '#businesses/keyring.ts'
import type { ShareCount } from '#businesses/quota.ts'
import type { RequestLog } from '#businesses/request-log.ts'
import { type Config, type Entrance, entrancesOf, version } from '#config.ts'
import type { Clock } from '#platform/clock.ts'
import { createTurns } from '#platform/concurrency.ts'
import type { Context } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { answer, successBody } from './answer.ts'
import { createCallerAddress, createConnections, createUnread } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchange, Page } from './exchange.ts'
import { behind, countFromZero, isFromThisMachine, type Readiness } from './operation-server.ts'
import { createPipeline } from './pipeline.ts'
import { createNoticesDoor, type NoticesDoorOptions } from './rail-notices.ts'
import { createRateLimit } from './rate-limit.ts'
import { createRouter } from './routes.ts'
import { createHttpServer, type HttpLimits } from './server.ts'

export type Door = {
  open(): Promise<{ port: number; entrances: Entrance[] }>
  close(): Promise<void>
}

type DoorOptions = {
  ctx: Pick<Context, 'clock' | 'log' | 'metrics' | 'tracing'>
  config: Config
  endpoints: Endpoint[]
  keyring: Keyring
  refusals: RefusalLog
  requestLog: Pick<RequestLog, 'note'>
  /** A clock that is never slowed down: on a slowed clock, a minute of a quota could last two minutes. */
  quotaClock: Clock
  shareCount: ShareCount
  limits: HttpLimits
  readiness: Readiness
  notices: NoticesDoorOptions['notices']
  dashboard?: DashboardParts | undefined
}

/**
 * Lists cost the database more than look-ups do, and share ten connections with all other reads. This limit leaves some
 * of those connections to other requests, however many businesses request lists.
 */
const listLimits = {
  atOnceMax: 2,
  atOnceInAllMax: 6,
  waitingMax: 256,
  waitMsMax: 5_000,
  sentence: 'Too many requests for lists at once. Wait for pending responses before you send more.',
}

export function createDoor(options: DoorOptions): Door {
  const { ctx, config, endpoints, keyring, refusals, requestLog, quotaClock, shareCount, limits, readiness } = options
  const { clock, log, metrics, tracing } = ctx
  const rateLimit = createRateLimit({
    perTenant: config.rateLimitPerMinute,
    perAddress: config.rateLimitAnonymousPerMinute,
    guessesPerNetwork: limits.guessesPerNetworkMax,
    clock: quotaClock,
    shareCount,
  })
  const entrances = entrancesOf(config, config.port)
  const metricsHere = config.metricsPort === undefined
  const pages = createPublicPages({ entrances, endpoints, metrics, metricsHere, readiness })
  countFromZero(metrics, endpoints, pages.values())
  let closing = false
  let listeningPort = config.port
  const port = (): number => listeningPort
  const dashboard =
    options.dashboard && createDashboard({ ...options.dashboard, config, endpoints, quotaClock, rateLimit, port })
  const pipeline = createPipeline({
    entrances,
    keyring,
    callerAddress: createCallerAddress(config.trustedProxies),
    rateLimit,
    refusals,
    requestLog,
    listTurns: createTurns(listLimits),
    unread: createUnread(),
    clock,
    log,
    metrics,
    tracing,
    router: createRouter(endpoints),
    pages,
    notices: createNoticesDoor({ notices: options.notices, clock }),
    dashboard,
    stopping: () => closing,
  })
  const connections = createConnections({
    limits,
    trustedProxies: config.trustedProxies,
    onClosed: (because) => metrics.httpConnectionsClosed.inc({ because }),
  })
  const server = createHttpServer({ pipeline, clock, limits, rateLimit, connections })
  return {
    async open() {
      listeningPort = await server.listen(config.host, config.port)
      // With PORT=0 the system chooses the port, so the addresses are known only now. The array is changed in place,
      // because the pipeline reads it.
      entrances.splice(0, entrances.length, ...entrancesOf(config, listeningPort))
      return { port: listeningPort, entrances }
    },
    close() {
      closing = true
      dashboard?.close()
      return server.close()
    },
  }
}

type PublicPagesOptions = {
  readiness: Readiness
  metrics: Metrics
  entrances: Entrance[]
  endpoints: Endpoint[]
  /** False if METRICS_PORT is set; the public port then does not show the metrics. */
  metricsHere: boolean
}

function createPublicPages(options: PublicPagesOptions): Map<string, Page> {
  const pages: Page[] = [
    { path: '/health', free: true, atRoot: true, respond: (exchange) => ok(exchange, { status: 'ok', version }) },
    { path: '/ready', free: true, atRoot: true, respond: readyPage(options.readiness) },
    { path: '/v1/openapi.json', respond: openApiPage(options) },
    ...docsPages(options.entrances),
  ]
  if (options.metricsHere) {
    const respond = (exchange: Exchange): Promise<void> => showMetrics(exchange, options.metrics)
    pages.push({ path: '/metrics', free: true, atRoot: true, respond })
  }
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const root = byPath.get('/')
  if (root !== undefined) byPath.set('', root) // Below a prefix the root may be requested without its slash.
  return byPath
}

function ok(exchange: Exchange, data: Record<string, unknown>): void {
  answer(exchange, 200, successBody(exchange.requestId, { data }), [])
}

function readyPage(readiness: Readiness): Page['respond'] {
  return async (exchange) => {
    const missing = await readiness()
    if (missing.length === 0) return ok(exchange, { status: 'ready' })
    throw new ApiError('SERVICE_UNAVAILABLE', behind, { headers: { 'Retry-After': '5' }, internal: missing })
  }
}

const textType = ['Content-Type', 'text/plain; version=0.0.4; charset=utf-8']

async function showMetrics(exchange: Exchange, metrics: Metrics): Promise<void> {
  exchange.forAnyOrigin = false
  if (!isFromThisMachine(exchange.request)) {
    throw new ApiError('FORBIDDEN', 'Metrics are shown to this machine alone. Set METRICS_PORT to give them a port.')
  }
  answer(exchange, 200, await metrics.text(), [], textType)
}

function openApiPage({ endpoints, entrances }: PublicPagesOptions): Page['respond'] {
  // Stored as bytes, so that slow callers do not each keep a copy in memory.
  let body: Buffer | undefined
  return (exchange) => {
    body ??= Buffer.from(JSON.stringify(openApiDocument(endpoints, entrances)))
    answer(exchange, 200, body, [])
  }
}
