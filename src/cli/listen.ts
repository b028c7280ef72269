// `manilla listen` on the database: forwards a tenant's events to a program on the developer's machine as they happen,
// signed like real deliveries. After a restart of the server it continues with the next event.

import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '#config.ts'
import { payloadOf } from '#events/payload.ts'
import { systemClock } from '#platform/clock.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { createDb } from '#platform/db/db.ts'
import { findPooler, poolerRefusal } from '#platform/db/pooler.ts'
import { Unavailable } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { prepareCluster, type Cluster } from '#postgres/embedded/cluster.ts'
import { explainFolderError, ignoreErrors } from '#postgres/embedded/folders.ts'
import { readPasswords, urlOf } from '#postgres/embedded/initialize.ts'
import { findPostmaster } from '#postgres/embedded/server-process.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { missingMigrations } from '#postgres/migrations/state.ts'
import { listenFromNow, listenSince, type Listener } from '#webhooks/listen.ts'
import { atTerminal, businessIdOf, chooseTenant, type TenantOptions } from './arguments.ts'
import { parseForwardUrl, startForwarding, type ForwardOptions, type Forwarder } from './forward.ts'
import { readConfig } from './settings.ts'

export type ListenOptions = TenantOptions &
  ForwardOptions & {
    /** Also forwards the events of this many milliseconds before the start. */
    since?: number
  }

const pollEveryMs = 500

type Session = Forwarder & { options: ListenOptions; startedMs: number }

export async function listenCommand(options: ListenOptions): Promise<void> {
  businessIdOf(options)
  parseForwardUrl(options.forwardTo)
  const running = createRunningDatabase(readConfig())
  const session: Session = { ...startForwarding(options), options, startedMs: systemClock.now() }
  await listen(running, session)
  session.sayEnd()
}

async function listen(running: RunningDatabase, session: Session): Promise<void> {
  let heard: Listener | undefined
  while (!session.signal.aborted) {
    const opened = await waitForTenant(running, session, heard !== undefined)
    if (opened === undefined) return
    const { ctx, tenant } = opened
    try {
      // The operator may have started over with an empty database, in which a position of the old one means nothing.
      if (heard?.tenant.id !== tenant.id) heard = await begin(ctx, tenant, session, opened.waited)
      await follow(ctx, heard, session)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
    } finally {
      await ctx.db.close()
    }
  }
}

type Opened = { ctx: Context; tenant: Tenant; waited: boolean }

/** Prints once that it waits, and once that it is connected. Undefined if the command was stopped meanwhile. */
async function waitForTenant(running: RunningDatabase, session: Session, again: boolean): Promise<Opened | undefined> {
  let waited = again
  if (again) session.warn('Lost the database, probably because its server stopped. Waiting …')
  for (; !session.signal.aborted; await pause(session)) {
    const entry = await running.connect()
    const found = entry.ctx === undefined ? { reason: entry.reason } : await findTenantIn(entry.ctx, session.options)
    if ('opened' in found) {
      const { business, tenant, ctx } = found.opened
      if (again) session.say('Reconnected; continuing where it stopped.')
      else session.say(`Listening to   ${business}, ${tenant.environment}`)
      return { ctx, tenant, waited }
    }
    if (!waited) session.warn(`${found.reason} Waiting …`)
    waited = true
  }
  return undefined
}

async function findTenantIn(
  ctx: Context,
  options: TenantOptions,
): Promise<{ opened: { ctx: Context; tenant: Tenant; business: string } } | { reason: string }> {
  let reason = 'There is no business yet (npx manilla businesses create --name NAME).'
  try {
    const named = await chooseTenant(ctx, options)
    if (named !== undefined) return { opened: { ctx, ...named } }
  } catch (error) {
    if (!(error instanceof Unavailable)) {
      await ctx.db.close()
      throw error
    }
    reason = error.message
  }
  await ctx.db.close()
  return { reason }
}

function begin(ctx: Context, tenant: Tenant, session: Session, waited: boolean): Listener | Promise<Listener> {
  const { since: sinceMs } = session.options
  if (sinceMs !== undefined) return listenSince(tenant, new Date(session.startedMs - sinceMs))
  // If the command had to wait for the database, it also forwards the events since it was started.
  return waited ? listenSince(tenant, new Date(session.startedMs)) : listenFromNow(ctx.db, tenant)
}

async function follow(ctx: Context, listener: Listener, session: Session): Promise<void> {
  while (!session.signal.aborted) {
    const { events, more } = await listener.readNext(ctx.db)
    for (const event of events) {
      if (session.signal.aborted) return
      const { id, name, reference, createdAt } = event
      const body = payloadOf({ ...event, event: name, environment: listener.tenant.environment })
      await session.tell({ id: formatId('event', id), event: name, reference, createdAt, body })
    }
    if (!more) await pause(session)
  }
}

async function pause({ signal }: Session): Promise<void> {
  await delay(pollEveryMs, undefined, { signal }).catch(() => undefined)
}

// The database of `manilla listen`, a command that runs for hours. Other commands start the embedded PostgreSQL if it
// does not run, and keep it running until they end. This one only connects to a PostgreSQL that runs already, and loses
// the connection when its server stops.

/** `reason`: why there is nothing to connect to now. The caller asks again later. */
type Connected = { ctx: Context } | { ctx: undefined; reason: string }

type RunningDatabase = { connect(): Promise<Connected> }

export function createRunningDatabase(config: Config): RunningDatabase {
  const findEmbedded = createFinder(config)
  return {
    async connect() {
      const url = config.databaseUrl ?? (await findEmbedded())
      if (url === undefined)
        return { ctx: undefined, reason: `No server runs on DATA_DIR ${config.dataDir} (npm start).` }
      // In a session that a pooler shares, the role and the prepared statements of the service get lost. If the
      // database does not answer, this check fails, and the connection below reports why.
      const pooler = config.databaseUrl === undefined ? undefined : await findPooler(url).catch(() => undefined)
      if (pooler?.kind === 'shared') throw poolerRefusal(pooler)
      return await keepIfCurrent(openContext(url))
    },
  }
}

/** Returns false if no server can be running: the database is the embedded one, and it is stopped. */
export async function databaseMayRun(config: Config): Promise<boolean> {
  return config.databaseUrl !== undefined || (await createFinder(config)()) !== undefined
}

/**
 * Returns a function that finds the URL of the embedded PostgreSQL. It resolves with undefined if that does not run.
 */
function createFinder({ dataDir }: Config): () => Promise<string | undefined> {
  const pidFile = path.join(dataDir, 'postgres', 'data', 'postmaster.pid')
  let cluster: Cluster | undefined

  async function find(): Promise<string | undefined> {
    if ((await stat(pidFile).catch(ignoreErrors('ENOENT', 'ENOTDIR'))) === undefined) return undefined
    cluster ??= await prepareCluster({ dataDir, durable: true, onStep: () => undefined })
    const running = await findPostmaster(cluster)
    if (running?.state !== 'ready') return undefined
    return urlOf('service', await readPasswords(cluster), running.socketFolder)
  }
  return () =>
    find().catch((error: unknown) => {
      throw explainFolderError(dataDir, error)
    })
}

/** The context logs nothing, because the command itself prints that the database is away. */
function openContext(url: string): Context {
  const log = createLog({ level: 'silent', format: 'json', write: () => undefined })
  const metrics = createMetrics()
  return {
    db: createDb({ url, role: serviceRole, log, metrics, poolSizeMax: 1 }),
    log,
    metrics,
    clock: systemClock,
    by: atTerminal(),
  }
}

async function keepIfCurrent(ctx: Context): Promise<Connected> {
  let reason = ''
  try {
    const missing = await missingMigrations(ctx.db)
    if (missing.length === 0) return { ctx }
    reason = `The database lacks ${missing.length} migrations. Run: npx manilla migrate.`
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    reason = `${error.message}${error.cause instanceof Error ? ` Reason: ${error.cause.message}.` : ''}`
  }
  await ctx.db.close()
  return { ctx: undefined, reason }
}
