// Builds the HTTP service: endpoints, the pipeline in front of them, and the listening socket. Creates its request
// counters at zero.

import { createDashboard, type DashboardParts } from '#api/dashboard/dashboard.ts'
import type { RefusalLog } from '#audit/refusals.ts'
import type { Keyring } from '#businesses/keyring.ts'
import type { ShareCount } from '#businesses/quota.ts'
import type { RequestLog } from '#businesses/request-log.ts'
import { type Config, type Entrance, entrancesOf } from '#config.ts'
import type { Clock } from '#platform/clock.ts'
import { createTurns } from '#platform/concurrency.ts'
import type { Context } from '#platform/context.ts'
import { errorStatus } from '#platform/errors.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { createCallerAddress } from './caller-address.ts'
import { createConnections, createUnread } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import type { Page } from './exchange.ts'
import type { Readiness } from './operation-server.ts'
import { createPipeline } from './pipeline.ts'
import { createPublicPages } from './public-pages.ts'
import { createNoticesDoor, noticesRoute, type NoticesDoorOptions } from './rail-notices.ts'
import { createRateLimit } from './rate-limit.ts'
import { hungUpStatus } from './request-log.ts'
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

/** The statuses of every route that needs a key; `errors` of an endpoint adds its own. */
const statusesOfEndpoints = [200, 400, 401, 403, 429, hungUpStatus, 500, 503]
const statusesOfPages = [200, 405, hungUpStatus, 500, 503]
/** Requests without a route: OPTIONS, unknown paths, and requests that were refused before the route was found. */
const statusesOfNone = [204, 400, 401, 404, 405, 429, hungUpStatus, 500, 503]
const statusesOfNotices = [200, 400, 401, 405, 413, 429, hungUpStatus, 500, 503]
const tooLarge = 413

/**
 * Creates the request counters of the API's routes at zero. Prometheus sees no increase when a counter appears with its
 * first request already counted.
 */
function countFromZero({ httpRequests }: Metrics, endpoints: Endpoint[], pages: Iterable<Page>): void {
  const begin = (route: string, statuses: number[]): void => {
    for (const status of statuses) httpRequests.inc({ route, status }, 0)
  }
  begin('none', statusesOfNone)
  begin(noticesRoute, statusesOfNotices)
  for (const { path } of pages) begin(path, statusesOfPages)
  for (const { path, errors, body } of endpoints) {
    begin(path, statusesOfEndpoints)
    begin(
      path,
      errors.map((code) => errorStatus[code]),
    )
    if (body !== undefined) begin(path, [tooLarge])
  }
}
