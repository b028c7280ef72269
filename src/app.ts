// Creates the service from a config, as a value that can be started and stopped. Only this file and wiring.ts connect
// the modules. It makes the parts from the bottom up: platform, rails, ledger, modules, entry points.

import { exportArchive } from './archive/archive.ts'
import { createRefusals } from './audit/refusals.ts'
import type { Clock } from './platform/clock.ts'
import { requireConnections, createDb } from './platform/db/db.ts'
import { theService, type Context, type Tracing } from './platform/context.ts'
import { finishesWithin } from './platform/concurrency.ts'
import { secondMs } from './platform/durations.ts'
import { createDatabaseClock, readDatabaseTime } from './platform/db/database-clock.ts'
import { OperatorError } from './platform/errors.ts'
import { createLanes, type Lanes } from './platform/db/lane.ts'
import { createLog, type Log } from './platform/observability/log.ts'
import { createMetrics, type Metrics } from './platform/observability/metrics.ts'
import { createNet, type Net } from './platform/http-client/client.ts'
import { createNetworks, isLoopbackHost } from './platform/http-client/addresses.ts'
import { requireOwnSessions } from './platform/db/pooler.ts'
import { type SecretKeys, createListedBox } from './platform/secrets.ts'
import { createKeyring } from './businesses/keyring.ts'
import { createRequestLog, forgetRequests } from './businesses/request-log.ts'
import { laneNumbers, applyLanes } from './businesses/lanes.ts'
import { createCorrections } from './corrections/corrections.ts'
import { createQuotaSharing } from './businesses/quota.ts'
import { entrancesOf, mailSettingsOf, type Config, type Entrance, version } from './config.ts'
import { createAccounts } from './virtual-accounts/service.ts'
import { createCustomers } from './virtual-accounts/customers.ts'
import { createOwners } from './virtual-accounts/account-owners.ts'
import { createInflows } from './deposits/from-collection.ts'
import { depositFees } from '#deposits/fees.ts'
import { createDeposits } from './deposits/service.ts'
import { findBank } from './directory/banks.ts'
import { createResolver } from './directory/resolve.ts'
import { createEventOutbox } from './events/outbox.ts'
import { exportExceptions } from './review/review-queue.ts'
import { exportBacklog, readDueWork, type Backlog } from './reporting/backlog.ts'
import { createFindEarlierPayouts } from './reporting/earlier-payouts.ts'
import { createFollow } from './reporting/search-index.ts'
import type { DashboardFiles } from './api/dashboard/assets.ts'
import type { DashboardParts } from './api/dashboard/dashboard.ts'
import { createDoor, type Door } from './api/server/door.ts'
import { requirePort, httpLimits, type HttpLimits } from './api/server/server.ts'
import { createInsights } from './reporting/reporting.ts'
import { createOperationServer, createReadiness } from './api/server/operation-server.ts'
import { createEndpoints, type Rooms } from './api/server/routes.ts'
import { createLedger } from './ledger/ledger.ts'
import { serviceRole } from './postgres/migrations/migrate.ts'
import { missingMigrations, requireMigrations } from './postgres/migrations/state.ts'
import { createNotices, type Notices, type TokenOf } from './rail-notices/service.ts'
import { transferFees } from '#payments/fees.ts'
import { createPayments } from './payments/service.ts'
import { createPayouts, type PayoutDeps, type Payouts } from './payouts/service.ts'
import { zero } from './platform/money.ts'
import { requireProviderAccounts } from './payments/provider-accounts.ts'
import { forgetInvitations } from './users/links.ts'
import { forgetSignIns } from './users/sessions.ts'
import { createRetain, type Retain } from './privacy/retain.ts'
import { agreedCostOf } from './rails/choose.ts'
import type { Rails } from './rails/registry.ts'
import { createReconciliation, type Reconciliation } from './reconciliation/service.ts'
import {
  createDeliveryService,
  deliveryConnections,
  testConnections,
  type DeliveryService,
} from './webhooks/delivery/service.ts'
import { createWebhooks } from './webhooks/service.ts'
import { createLoops } from './worker/loops.ts'
import {
  dashboardPartsOf,
  mailPartsOf,
  startNotes,
  connectRails,
  type ConnectedRails,
  requireKeysOf,
} from './wiring.ts'

export { requireKeysOf, resealAll } from './wiring.ts'
export { readDashboardBuild } from './api/dashboard/assets.ts'

export type Role = 'api' | 'worker'

export type AppOptions = {
  config: Config
  /** The login in the URL must be the role of the service, a member of that role, or a superuser. */
  databaseUrl: string
  secretKey: SecretKeys['secretKey']
  previousSecretKeys?: SecretKeys['previousSecretKeys']
  roles?: Role[]
  /** Replaces the time of the database. */
  clock?: Clock
  /** Replaces the machine's clock, which measures the time since the last reading of the database's time. */
  machineClock?: Clock
  log?: Log
  limits?: Partial<HttpLimits>
  /** Replaces the usual rails. */
  rails?: Rails
  /** Replaces the tokens of RAILS_FILE. */
  noticeTokenOf?: TokenOf
  /** The built dashboard. Without it, /dashboard says how to build it. */
  dashboardFiles?: DashboardFiles | undefined
  /** Replaces the built dashboard. */
  dashboardAssets?: DashboardParts['assets']
  /** From `loadTracing`, which loads the code for tracing only if it is used. */
  tracing?: LoadedTracing | undefined
  /** Aborted some time before `stop`: from then on /ready answers no, while all other requests are served. */
  leaving?: AbortSignal
  /** Replaces `stopMsMax`. */
  stopMs?: number
  /** True if this App also collects the metrics of the process as a whole; only one App in a process may. */
  processMetrics?: boolean
}

/** Stays below the time that the units and containers in deploy/ wait before they kill the process. */
const stopMsMax = 30 * secondMs

export type App = {
  ctx: Context
  /**
   * Starts, and resolves with the public addresses (a worker alone has none). `prepare` runs when the database and its
   * time are available, before the App serves.
   */
  start(prepare?: (ctx: Context) => Promise<void>): Promise<{ port: number; entrances: Entrance[] }>
  /**
   * Stops accepting requests first and closes the database last, so that all work under way finds what it needs.
   * Requests have 25 s to finish (`httpLimits.drainMs`), payments at a rail 20 s (payments/execution/executor.ts), and
   * all work together has 30 s. Another process takes up what remains when its lease ends. Idempotent.
   */
  stop(): Promise<void>
}

export function createApp(options: AppOptions): App {
  const { config, roles = ['api', 'worker'], secretKey, previousSecretKeys = [] } = options
  const { ctx, quotaClock, startClock, close } = createContext(options)
  const rooms = createRooms(ctx, options, roles)
  const { notices, payouts } = rooms
  const keyring = createKeyring(ctx)
  const refusals = createRefusals(ctx)
  const requestLog = createRequestLog(ctx)
  const shareCount = createQuotaSharing(ctx)
  const endpoints = createEndpoints(rooms)
  const limits = { ...httpLimits, ...options.limits }
  const readiness = createReadiness(() => missingMigrations(ctx.db), options.leaving)
  const dashboard = dashboardPartsOf(ctx, options, rooms, refusals)
  const parts = { ctx, config, endpoints, keyring, refusals, requestLog }
  const door: Door | undefined = roles.includes('api')
    ? createDoor({ ...parts, quotaClock, shareCount, limits, readiness, notices, dashboard })
    : undefined
  const { metricsHost: host, metricsPort: port } = config
  const stopping = (): boolean => stopped !== undefined
  const operation = port === undefined ? undefined : createOperationServer({ ...ctx, host, port, readiness, stopping })
  const notes = startNotes([keyring.flush, refusals.flush], ctx.log)
  const retain = createRetainOf(ctx, config, payouts)
  const letters = mailPartsOf(ctx, options)
  const work = { ...rooms, ...letters, retain, follow: createFollow(ctx) }
  const loops = createLoops(work, () => laneNumbers(ctx), ctx.log)
  let stopped: Promise<void> | undefined
  if (roles.includes('api')) for (const tell of [exportBacklog, exportArchive]) tell(ctx, () => laneNumbers(ctx))
  exportExceptions(ctx)

  async function stop(): Promise<void> {
    const finished = Promise.all([door?.close(), loops.stop(), letters.mail?.release()]).then(() => release(rooms))
    if (!(await finishesWithin(options.stopMs ?? stopMsMax, finished)))
      ctx.log.warn('work was still under way when the time for stopping was over; it is taken up when its lease ends')
    await notes.stop([keyring.flush, refusals.close, requestLog.close])
    await operation?.close()
    await ctx.tracing?.close()
    await close()
  }

  return {
    ctx,
    async start(prepare) {
      await requireOwnSessions(options.databaseUrl)
      await requireMigrations(ctx.db)
      await requireKeysOf(ctx, { secretKey, previousSecretKeys })
      await requireConnections(ctx)
      await applyLanes(ctx, config.lanes)
      await startClock()
      await requireProviderAccounts(ctx, config.rails)
      await prepare?.(ctx)
      await rooms.connected.start()
      await operation?.listen()
      if (roles.includes('worker')) loops.start()
      void letters.mail?.checkServer() // Nothing waits for it.
      return (await door?.open()) ?? { port: 0, entrances: [] }
    },
    stop: () => (stopped ??= stop()),
  }
}

function traceHeadersOf({ tracing }: Context): () => Record<string, string> | undefined {
  return () => tracing?.headers()
}

function createRetainOf(ctx: Context, config: Config, payouts: AppRooms['payouts']): Retain {
  const { retainEventDays: eventDays, retainPayerDays: payerDays } = config
  return createRetain(ctx, { eventDays, payerDays }, [
    (limit) => forgetSignIns(ctx, limit),
    (limit) => forgetInvitations(ctx, limit),
    (limit, lane) => forgetRequests(ctx, limit, lane),
    (limit, lane) => (payerDays === undefined ? Promise.resolve(0) : payouts.forget(lane, payerDays, limit)),
  ])
}

/**
 * Throws an error about the first port that the App cannot listen on. This check runs first, because a start that fails
 * on its port after it has created the first business would leave keys that the operator never saw.
 */
export async function requirePorts({ host, port, metricsHost, metricsPort }: Config, roles: Role[]): Promise<void> {
  const opens = roles.includes('api')
  if (opens && metricsPort === port && port !== 0) {
    throw new OperatorError(`Wrong setting: METRICS_PORT and PORT are both ${port}. Set one to another port.`)
  }
  if (opens) await requirePort(host, port, 'PORT')
  if (metricsPort !== undefined) await requirePort(metricsHost, metricsPort, 'METRICS_PORT')
}

export async function readBacklog(ctx: Context): Promise<Backlog[]> {
  return readDueWork(ctx, await laneNumbers(ctx))
}

type AppRooms = Rooms & {
  lanes: Lanes
  deliveries: DeliveryService
  notices: Notices
  reconciliation: Reconciliation
  nets: Net[]
  connected: ConnectedRails
}

/** Finishes the work that has begun, then closes the connections to other machines. */
async function release({
  notices,
  reconciliation,
  payments,
  connected,
  lanes,
  deliveries,
  nets,
}: AppRooms): Promise<void> {
  await notices.release()
  await reconciliation.release()
  await payments.release()
  await connected.stop()
  await lanes.drain()
  await deliveries.release()
  await Promise.all(nets.map((net) => net.close()))
}

function createRooms(
  ctx: Context,
  { config, secretKey, previousSecretKeys = [], rails: given, noticeTokenOf }: AppOptions,
  roles: Role[],
): AppRooms {
  const [lanes, connected] = [createLanes(ctx), connectRails(ctx, config, given)]
  const { of: laneOf } = lanes
  const { rails, railNet } = connected
  const resolver = createResolver({ rails })
  const box = createListedBox(ctx, { secretKey, previousSecretKeys })
  const local = servesThisMachineAlone(config)
  const leasesNew = roles.includes('worker')
  const outside = { clock: ctx.clock, denied: createNetworks(config.receiversDeny), traceHeaders: traceHeadersOf(ctx) }
  const net = createNet({ ...deliveryConnections, ...outside })
  const testNet = createNet({ ...testConnections, ...outside })
  const { webhookRetrySchedule: schedule, webhookLogDays: logDays } = config
  const deliveries = createDeliveryService({ ctx, net, testNet, box, leasesNew, local, schedule, logDays })
  const events = createEventOutbox(ctx.clock, deliveries)
  const payees = { ctx, rails, laneOf, box, findBank }
  const payments = createPayments({
    ctx,
    rails,
    laneOf,
    events,
    fees: transferFees,
    inflows: createInflows(ctx, depositFees),
    secretKeys: [secretKey, ...previousSecretKeys],
    floatPatienceHours: config.railFloatPatienceHours,
    leasesNew,
  })
  const deposits = createDeposits({ ctx, rails, laneOf, owners: createOwners(ctx), events, fees: depositFees })
  const ledger = createLedger({ ctx, laneOf })
  const believers = { ctx, rails, payments, deposits, laneNumbers: () => laneNumbers(ctx) }
  const { maxAttempts, sendNow, sendInvalidSignature, wake } = deliveries
  const sends = { maxAttempts, sendNow, sendInvalidSignature, wake, testsAtOnceMax: testConnections.connectionsMax }
  const webhooks = createWebhooks({ ...payees, ...sends, events, local })
  return {
    lanes,
    nets: [net, testNet, railNet],
    connected,
    deliveries,
    payments,
    deposits,
    reconciliation: createReconciliation({ ...believers, agreedCost: agreedCostOf(config.rails) }),
    notices: createNotices({
      ...believers,
      box,
      bodyDays: config.railNoticeDays,
      tokenOf: noticeTokenOf ?? ((rail) => config.rails?.rails[rail]?.token),
    }),
    ledger,
    corrections: createCorrections({ ctx, laneOf, settleByHand: payments.settleByHand }),
    resolver,
    payouts: createPayoutsOn({ ctx, payments, resolver }, ledger),
    customers: createCustomers(payees),
    accounts: createAccounts(payees),
    webhooks,
    insights: createInsights({ ctx, rails, kindOf: (rail) => config.rails?.rails[rail]?.kind, payments, webhooks }),
  }
}

function createPayoutsOn(deps: Pick<PayoutDeps, 'ctx' | 'payments' | 'resolver'>, ledger: Rooms['ledger']): Payouts {
  return createPayouts({
    ...deps,
    findEarlier: createFindEarlierPayouts(deps.ctx),
    available: async (tenant, currency) =>
      (await ledger.balances(tenant)).find((one) => one.currency === currency)?.available ?? zero,
  })
}

/**
 * Returns true if only clients on this machine call the environments; then webhooks may go to loopback addresses. If an
 * environment has a public base address, strangers may own its webhooks, and a webhook to a loopback address could
 * reach the operator's other programs.
 */
function servesThisMachineAlone(config: Config): boolean {
  const called = entrancesOf(config, config.port).map(({ baseUrl }) => new URL(baseUrl).hostname)
  return [config.host, ...called].every(isLoopbackHost)
}

type OwnContext = { ctx: Context; quotaClock: Clock; startClock(): Promise<void>; close(): Promise<void> }

/** `startClock` makes the clock follow the database; `close` ends that and closes the connections. */
function createContext(options: AppOptions): OwnContext {
  const { config } = options
  const log = options.log ?? createLog({ level: config.logLevel, format: config.logFormat })
  const metrics = createMetrics({ process: options.processMetrics ?? false })
  metrics.buildInfo.set({ version }, 1)
  countLostLines(log, metrics)
  const db = createDb({ url: options.databaseUrl, role: serviceRole, log, metrics })
  const machine = options.machineClock
  const time = createDatabaseClock({ readTimeMs: () => readDatabaseTime(db), log, metrics, machine })
  const given = options.clock
  const sendsMail = mailSettingsOf(config) !== undefined
  return {
    ctx: { db, clock: given ?? time, log, metrics, tracing: options.tracing?.(metrics), by: theService, sendsMail },
    quotaClock: given ?? time.unslowed,
    startClock: given === undefined ? time.start : () => Promise.resolve(),
    async close() {
      await time.stop()
      await db.close()
    },
  }
}

export type LoadedTracing = (metrics: Metrics) => Tracing

/** Resolves with undefined, and loads no code for tracing, if no endpoint is set. */
export async function loadTracing({
  tracesEndpoint,
  tracesHeaders: headers,
}: Config): Promise<LoadedTracing | undefined> {
  if (tracesEndpoint === undefined) return undefined
  const { createTracing } = await import('./platform/observability/tracing.ts')
  return (metrics) => createTracing({ endpoint: tracesEndpoint, headers, metrics })
}

function countLostLines(log: Log, metrics: Metrics): void {
  let counted = 0
  metrics.beforeScrape(() => {
    metrics.logLinesLost.inc(log.linesLost() - counted)
    counted = log.linesLost()
    return Promise.resolve()
  })
}
