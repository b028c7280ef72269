// One instance of the service, in this process, with a clock, a proxy to PostgreSQL and rails of its own. It can stall, be
// killed, or be stopped as a supervisor stops it.

import { createApp, type App } from '#app.ts'
import { createDatabaseClock, readDatabaseTime, type DatabaseClock } from '#platform/db/database-clock.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { parseConfig } from '#config.ts'
import { createClient, type Answer, type CallOptions, type Client } from '#tests/support/client.ts'
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts'
import { createWrongClock, holdsWithin, type WorldTime, type WrongClock } from './clocks.ts'
import type { WorldDatabase } from './databases/database.ts'
import type { AccountProvider } from './rails/accounts.ts'
import type { ContradictingProvider } from './rails/contradicting.ts'
import type { FarSide, Fates } from './rails/far-side.ts'
import type { ProviderDoors } from './rails/providers.ts'
import type { Roads } from './rails/rails-files.ts'
import { createRail } from './rails/rail.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createPulse, type Pulse } from './timers.ts'

export type Instance = {
  name: string
  address: string
  app: App
  machine: WrongClock
  pulse: Pulse
  proxy: PostgresProxy
  sides: FarSide[]
  roads: Roads
  /** The errors that it logged. */
  errors: string[]
  call(key: string, path: string, options?: CallOptions): Promise<Answer>
  isReady(): Promise<boolean>
  /** Kills the instance: its timers never ring again, and its connections are cut. */
  abort(): Promise<void>
  /**
   * Stops as on SIGTERM. After `patienceMs` of real time, world time jumps ahead. Resolves with the sum of the jumps, or
   * Infinity if it did not stop.
   */
  stop(patienceMs?: number): Promise<number>
}

export type InstanceOptions = {
  name: string
  time: WorldTime
  database: WorldDatabase
  /** The address that its proxy to PostgreSQL leads to. */
  databaseUrl: string
  aheadMs: number
  /** The banks that it can reach; the first one takes new payments. */
  sides: FarSide[]
  provider: AccountProvider
  contradicting: ContradictingProvider
  roads: Roads
  /** The instance's own proxies to Paystack, Monnify and pawaPay. */
  doors: ProviderDoors | undefined
  fates: Fates
  isQuiet: () => boolean
}

const secretKey = Buffer.alloc(32, 7)

/** Enough attempts that a delivery still has some left when the faults end and its receiver is healthy again. */
const retrySeconds = [5, 5, 10, 30, 30, 60, 60, 120, 120, 300, 300, 600, 600, 600]
/** The real time before a stop makes world time jump. A stop that waits for no timer ends sooner. */
const atOnceMs = 400
/**
 * A stop may take this much world time, in which waits for rails and receivers end, and then as much real time, in
 * which work ends.
 */
const stopMsMax = 60_000
const jumpMs = 1_000

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { name, time, sides, roads } = options
  const proxy = await startPostgresProxy(options.databaseUrl, await options.database.newFolder())
  const machine = createWrongClock(time, options.aheadMs)
  const pulse = createPulse(time)
  const errors: string[] = []
  const { app, clock } = createAppOf(options, { machine, pulse, databaseUrl: proxy.url, errors })
  const { port } = await pulse
    .run(() => clock.start().then(() => app.start()))
    .catch(async (error: unknown) => {
      await clock.stop()
      await app.stop()
      await proxy.dispose()
      await options.doors?.close()
      throw error
    })
  const address = `http://127.0.0.1:${port}`
  const caller = createCaller(address)

  return {
    name,
    address,
    app,
    machine,
    pulse,
    proxy,
    sides,
    roads,
    errors,
    call: caller.call,
    isReady: caller.isReady,
    async abort() {
      pulse.die()
      caller.hangUp()
      await Promise.all([proxy.dispose(), options.doors?.close()])
      // Only frees the port: without connections, rails and timers the app can do nothing else any more.
      void app.stop()
      void clock.stop()
    },
    async stop(patienceMs = atOnceMs) {
      caller.hangUp()
      const waitedMs = await stopWithin(app, time, patienceMs)
      await clock.stop()
      pulse.die()
      await Promise.all([proxy.dispose(), options.doors?.close()])
      return waitedMs
    },
  }
}

type Parts = { machine: WrongClock; pulse: Pulse; databaseUrl: string; errors: string[] }

function createAppOf(
  { sides, provider, contradicting, doors, fates, isQuiet, time }: InstanceOptions,
  { machine, pulse, databaseUrl, errors }: Parts,
): { app: App; clock: DatabaseClock } {
  const log = createLog({ level: 'error', format: 'json', write: (line) => errors.push(line) })
  // Answers with the world's time, which jumps, and still makes the query, so that a stalled or cut connection delays it.
  const readTimeMs = async (): Promise<number> => {
    const askedAtMs = time.database.now()
    await readDatabaseTime(app.ctx.db)
    return askedAtMs
  }
  const clock = createDatabaseClock({ readTimeMs, log, metrics: createMetrics(), machine })
  const { virtualAccounts: accounts } = createSimulator({ clock, settleMs: 0 })
  const app = createApp({
    config: {
      ...parseConfig({
        PORT: '0',
        RATE_LIMIT_PER_MINUTE: '100000000',
        RATE_LIMIT_ANONYMOUS_PER_MINUTE: '100000000',
        WEBHOOK_RETRY_SCHEDULE: retrySeconds.join(','),
      }),
      rails: doors?.file,
    },
    databaseUrl,
    secretKey,
    clock,
    log,
    rails: {
      staging: sides.map((side) => createRail({ side, provider, fates, pulse, clock, isQuiet })),
      production: [
        contradicting.railFor({
          accounts,
          pulse,
          clock,
        }),
      ],
    },
  })
  return { app, clock }
}

type Caller = Pick<Instance, 'call' | 'isReady'> & { hangUp(): void }

/** Creates the clients of this instance: one for each API key, and one that asks whether it is ready. */
function createCaller(address: string): Caller {
  const clients = new Map<string, Client>()
  const probe = createClient(address)
  return {
    call(key, path, options) {
      const client = clients.get(key) ?? createClient(`${address}/staging`, key)
      clients.set(key, client)
      return client.call(path, options)
    },
    isReady: () =>
      probe.get('/ready').then(
        ({ status }) => status === 200,
        () => false,
      ),
    hangUp: () => [...clients.values(), probe].forEach((client) => client.close()),
  }
}

async function stopWithin(app: App, time: WorldTime, patienceMs: number): Promise<number> {
  let stopped = false
  void app.stop().then(() => (stopped = true))
  let jumpedMs = 0
  await holdsWithin(patienceMs, () => stopped)
  for (; !stopped && jumpedMs < stopMsMax; jumpedMs += jumpMs) {
    time.advance(jumpMs)
    await holdsWithin(atOnceMs / 4, () => stopped)
  }
  // Every timer has rung by now. What is left needs real time: work on a busy machine, or a database that is away.
  return (await holdsWithin(stopMsMax, () => stopped)) ? jumpedMs : Infinity
}
