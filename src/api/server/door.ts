// Builds the HTTP service: endpoints, the pipeline in front of them, and the listening socket.

import type { RefusalLog } from '#audit/refusals.ts'
import type { Context } from '#platform/context.ts'
import { createTurns } from '#platform/concurrency.ts'
import type { Keyring } from '#businesses/keyring.ts'
import type { RequestLog } from '#businesses/request-log.ts'
import type { TellOthers } from '#businesses/quota.ts'
import { entrancesOf, type Config, type Entrance } from '#config.ts'
import { createDashboard, type DashboardParts } from '#api/dashboard/dashboard.ts'
import { countFromZero, type Readiness } from './operation-server.ts'
import { createCallerAddress, createConnections, createUnread } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import { createNoticesDoor, type NoticesDoorOptions } from './rail-notices.ts'
import { createRateLimit } from './rate-limit.ts'
import { createPublicPages } from './public-pages.ts'
import { createPipeline } from './pipeline.ts'
import { createRouter } from './routes.ts'
import { createHttpServer, type HttpLimits } from './server.ts'

export type Door = {
  /** Starts to listen; resolves with the public addresses. */
  open(): Promise<{ port: number; entrances: Entrance[] }>
  /** Refuses new requests and lets those in flight finish. */
  close(): Promise<void>
}

export type DoorOptions = {
  ctx: Pick<Context, 'clock' | 'log' | 'metrics' | 'tracing'>
  config: Config
  endpoints: Endpoint[]
  keyring: Keyring
  refusals: RefusalLog
  requestLog: Pick<RequestLog, 'note'>
  tellOthers: TellOthers
  limits: HttpLimits
  readiness: Readiness
  notices: NoticesDoorOptions['notices']
  /** Absent if the dashboard is not served. */
  dashboard?: DashboardParts | undefined
}

/**
 * Lists cost the database more than look-ups do, and share ten connections with everything but payments. This limit
 * leaves some of those connections to other requests, however many businesses request lists.
 */
const listLimits = {
  atOnceMax: 2,
  atOnceInAllMax: 6,
  waitingMax: 256,
  waitMsMax: 5_000,
  sentence: 'Too many lists are asked for at once. Wait for the answers to those under way.',
}

export function createDoor(options: DoorOptions): Door {
  const { ctx, config, endpoints, keyring, refusals, requestLog, tellOthers, limits, readiness, notices } = options
  const { clock, log, metrics, tracing } = ctx
  const rateLimit = createRateLimit({
    perTenant: config.rateLimitPerMinute,
    perAddress: config.rateLimitAnonymousPerMinute,
    guessesPerNetwork: limits.guessesPerNetworkMax,
    clock,
    tellOthers,
  })
  const entrances = entrancesOf(config, config.port)
  const metricsHere = config.metricsPort === undefined
  const pages = createPublicPages({ entrances, endpoints, metrics, metricsHere, readiness })
  countFromZero(metrics, endpoints, pages.values())
  let closing = false
  let listeningPort = config.port
  const port = (): number => listeningPort
  const dashboard = options.dashboard && createDashboard({ ...options.dashboard, config, endpoints, rateLimit, port })
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
    notices: createNoticesDoor({ notices, clock }),
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
      // With PORT=0 the system chooses the port, so the addresses are known only now. The pipeline reads this array.
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
