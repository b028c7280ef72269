// The service as a value: made from a config, started, stopped. This is the only wiring; what it needs it makes here,
// in the order in which the house stands: ground, vault, rooms, doors.

import { systemClock, type Clock } from '#base/clock.ts'
import type { Context } from '#base/context.ts'
import { createDb } from '#base/db.ts'
import { createLog, type Log } from '#base/log.ts'
import { createMetrics } from '#base/metrics.ts'
import { createKeyring } from '#businesses/keyring.ts'
import { createQuotaCounter } from '#businesses/quota.ts'
import { entrancesOf, type Config, type Entrance } from '#config.ts'
import { createMetricsServer } from '#http/metrics-server.ts'
import { bucketOf } from '#http/middleware/rate-limit.ts'
import { createPages } from '#http/pages.ts'
import { createPipeline } from '#http/pipeline.ts'
import { createRouter } from '#http/router.ts'
import { createEndpoints } from '#http/routes.ts'
import { createHttpServer, httpLimits, type HttpLimits } from '#http/server.ts'
import { createBalanceReader } from '#ledger/balance.ts'
import { serviceRole } from '#migrations/migrate.ts'
import { missingMigrations, requireMigrations } from '#migrations/state.ts'

export type AppOptions = {
  config: Config
  /** Of the service's own role. */
  databaseUrl: string
  clock?: Clock
  log?: Log
  limits?: Partial<HttpLimits>
  /** Metrics of the process as a whole; one App per process may have them. */
  processMetrics?: boolean
}

export type App = {
  ctx: Context
  /** Serves; resolves with the addresses that the world calls. */
  start(): Promise<{ port: number; entrances: Entrance[] }>
  /** Finishes what is in flight, then closes everything. Idempotent. */
  stop(): Promise<void>
}

const keyUseFlushMs = 10_000

export function createApp(options: AppOptions): App {
  const { config } = options
  const log = options.log ?? createLog({ level: config.logLevel, format: config.logFormat })
  const metrics = createMetrics({ process: options.processMetrics ?? false })
  const clock = options.clock ?? systemClock
  const db = createDb({ url: options.databaseUrl, role: serviceRole, log, metrics })
  const ctx: Context = { db, clock, log, metrics }
  const keyring = createKeyring(ctx)
  const endpoints = createEndpoints({ balances: createBalanceReader(ctx) })
  const metricsServer = config.metricsPort === undefined ? undefined : createMetricsServer(metrics, config.host, config.metricsPort)
  let stopping = false
  let closeDoor: () => Promise<void> = () => Promise.resolve()
  let stopped: Promise<void> | undefined

  const flush = (): void => {
    keyring.flush().catch((error: unknown) => log.warn({ err: error }, 'could not note when keys were used'))
  }
  const flushTimer = setInterval(flush, keyUseFlushMs)
  flushTimer.unref()

  async function openDoor(): Promise<{ port: number; entrances: Entrance[] }> {
    const quotas = createQuotaCounter()
    const entrances = entrancesOf(config, config.port)
    const pipeline = createPipeline({
      entrances,
      keyring,
      quotas,
      clock,
      log,
      metrics,
      router: createRouter(endpoints),
      pages: createPages({ entrances, endpoints, metrics, metricsHere: metricsServer === undefined, missingMigrations: () => missingMigrations(db) }),
      rateLimitPerMinute: config.rateLimitPerMinute,
      rateLimitAnonymousPerMinute: config.rateLimitAnonymousPerMinute,
      stopping: () => stopping,
    })
    const server = createHttpServer({
      pipeline,
      clock,
      limits: { ...httpLimits, ...options.limits },
      anonymousQuota: (address) => quotas.peek(bucketOf(undefined, address), config.rateLimitAnonymousPerMinute, clock.now()),
    })
    const port = await server.listen(config.host, config.port)
    closeDoor = server.close
    // Only now is the port known where the config left it open; the pipeline reads the same array.
    entrances.splice(0, entrances.length, ...entrancesOf(config, port))
    return { port, entrances }
  }

  async function close(): Promise<void> {
    stopping = true
    await closeDoor()
    clearInterval(flushTimer)
    await keyring.flush().catch((error: unknown) => log.warn({ err: error }, 'could not note when keys were used'))
    await metricsServer?.close()
    await db.close()
  }

  return {
    ctx,
    async start() {
      await requireMigrations(db)
      await metricsServer?.listen()
      return openDoor()
    },
    stop: () => (stopped ??= close()),
  }
}
