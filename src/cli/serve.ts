// `manilla serve`: prepares the database, starts the App, says where it is, and stops in order when asked to.

import { setTimeout as delay } from 'node:timers/promises'
import { createApp, loadTracing, requirePorts, type Role } from '#app.ts'
import { createLog, type Log } from '#base/log.ts'
import { loadSecretKeys, requireSecretKey } from '#base/secret.ts'
import type { Config } from '#config.ts'
import { migrate } from '#migrations/migrate.ts'
import { openDatabase, requireSameDatabase, type OpenDatabase } from './database.ts'
import { dashboardLine } from './first-person.ts'
import { firstRun, welcome } from './first-run.ts'
import { readSettings } from './settings.ts'

// It does not change its user by itself. On the embedded database it must be able to start PostgreSQL as another account
// again; on another one, certificates and modules are read as late as at the next reconnection.
const asRoot = 'running as root, which nothing here needs: run it as a user of its own, see deploy/README.md'

export type ServeOptions = { roles: Role[]; migrate: boolean }

export async function serveCommand(options: ServeOptions): Promise<void> {
  const { config, warnings } = readSettings({ rails: true })
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  for (const warning of warnings) log.warn(warning)
  // With the embedded database a developer reads the terminal; with DATABASE_URL a log collector reads JSON lines.
  const say =
    config.databaseUrl === undefined
      ? (text: string) => void process.stdout.write(`${text}\n`)
      : (text: string) => log.info(text)
  const stop = stopOnSignal()
  const serving = { config, log, say, roles: options.roles, stop }
  requireSecretKey(config)
  await requirePorts(config, options.roles)
  const database = await prepareDatabase(serving, options.migrate).catch((error: unknown) => {
    if (!stop.aborted) throw error
    return undefined
  })
  if (database === undefined) return say(`stopped on ${String(stop.reason)}, before it served`)
  try {
    await serve({ ...serving, database })
  } finally {
    await database.release()
  }
}

type Serving = {
  config: Config
  database: OpenDatabase
  log: Log
  say: (text: string) => void
  stop: AbortSignal
  roles: Role[]
}

function stopOnSignal(): AbortSignal {
  const stop = new AbortController()
  // SIGHUP too: a terminal that is closed must not leave PostgreSQL behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort(signal))
  return stop.signal
}

/** Migrations can take hours. A stop ends them: what is complete is kept, the rest is undone and begins anew. */
async function prepareDatabase(
  { config, log, say, stop }: Omit<Serving, 'database'>,
  migrates: boolean,
): Promise<OpenDatabase> {
  const onStep = (step: string): void => say(`${step} …`)
  const database = await openDatabase(config, { use: 'serve', onStep, onIncident: (text) => log.error(text), stop })
  if (database.embedded || !migrates) return database
  await requireSameDatabase(database)
  await migrate(database.ownerUrl, onStep, undefined, { stop })
  return database
}

async function serve({ config, database, log, say, stop, roles }: Serving): Promise<void> {
  const keys = await loadSecretKeys(config)
  const tracing = await loadTracing(config)
  const databaseUrl = database.serviceUrl
  const app = createApp({ config, databaseUrl, ...keys, log, roles, tracing, leaving: stop, processMetrics: true })
  try {
    const opens = roles.includes('api')
    let first: Awaited<ReturnType<typeof firstRun>>
    const { port } = await app.start(async (ctx) => {
      if (database.embedded && opens) first = await firstRun(ctx, config)
    })
    if (process.geteuid?.() === 0) log.warn(asRoot)
    say(opens ? `listening on ${config.host}:${port}` : 'working')
    const terminal = process.stdout.isTTY
    const dashboard = opens && config.dashboard ? await dashboardLine(app.ctx, config, port, { terminal }) : undefined
    if (database.embedded && opens) say(await welcome(config, port, { first, terminal, dashboard }))
    else if (dashboard !== undefined) say(dashboard)
    say(`stopping on ${await untilAborted(stop)} …`)
    if (opens) await delay(config.stopDelaySeconds * 1_000)
  } finally {
    await app.stop()
  }
  say('stopped')
}

function untilAborted(stop: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve(String(stop.reason))
    else stop.addEventListener('abort', () => resolve(String(stop.reason)))
  })
}
