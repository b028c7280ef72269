// `manilla serve`: prepares the database, starts the app, prints the addresses, and stops at a signal. `stop` in app.ts
// has the order of a stop and its time limits.
//
// While the dashboard has no user, each start creates a welcome link for one use. On a terminal the link is printed.
// Other output goes to a log, which many people can read, so the link goes to a file instead.

import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import { createApp, loadTracing, readDashboardBuild, requirePorts, type Role } from '#app.ts'
import { createFirstBusiness, type FirstBusiness } from '#businesses/business.ts'
import { dashboardUrlOf, type Config, entrancesOf, localAddress } from '#config.ts'
import type { Context } from '#platform/context.ts'
import { openSession } from '#platform/db/sessions.ts'
import { secondMs } from '#platform/durations.ts'
import { briefMessage, OperatorError, Unavailable } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { createLog, type Log } from '#platform/observability/log.ts'
import { loadSecretKeys, requireSecretKey } from '#platform/secrets.ts'
import { writeWhole, readUnlinked } from '#postgres/embedded/folders.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { linkTo, makeWelcomeLink } from '#users/links.ts'
import { countMigrations, openDatabase, requireSameDatabase, type OpenDatabase } from './database.ts'
import { readSettings } from './settings.ts'

async function dashboardLine(
  ctx: Context,
  config: Config,
  port: number,
  { terminal }: { terminal: boolean },
): Promise<string> {
  const url = dashboardUrlOf(config, port)
  const file = path.join(config.dataDir, 'welcome-link')
  const token = await makeWelcomeLink(ctx)
  if (token === undefined) {
    await rm(file, { force: true })
    return `dashboard    ${url}`
  }
  const link = linkTo(url, 'welcome', token)
  return `dashboard    ${terminal ? link : await keptLink(ctx, file, link, url)}`
}

async function keptLink({ log }: Context, file: string, link: string, url: string): Promise<string> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await writeWhole(file, `${link}\n`, 0o600)
    return `${url} (create the first user with the link in ${file}, or run: npx manilla people welcome)`
  } catch (error) {
    log.warn({ error: briefMessage(error) }, 'could not save the welcome link')
    return `${url} (create the first user: npx manilla people welcome)`
  }
}

/** Creates the first business, before the server listens, so that its keys work at once. Undefined if one exists. */
function firstRun(ctx: Context, config: Config): Promise<FirstBusiness | undefined> {
  const given = { testKey: config.bootstrapTestKey, liveKey: config.bootstrapLiveKey }
  return createFirstBusiness(ctx, given, (business) =>
    writeCredentials(credentialsFile(config), credentialsOf(config, config.port, business)),
  )
}

/**
 * Returns the text that is printed once the server listens on the embedded database: the keys and a sample request at
 * the first start, later the file of the keys. `first` is the business that this start created. Only a terminal shows
 * the live key, because many people can read a log.
 */
async function welcome(
  config: Config,
  port: number,
  {
    first,
    terminal,
    dashboard,
  }: { first: FirstBusiness | undefined; terminal: boolean; dashboard: string | undefined },
): Promise<string> {
  const entrances = entrancesOf(config, port)
  const lines = entrances.map(({ environment, baseUrl }) => `${environment.padEnd(12)} ${baseUrl}`)
  const reference = `reference    ${localAddress(config.host, port, 'docs')}`
  const addresses = ['', ...lines, reference, ...(dashboard === undefined ? [] : [dashboard])]
  const file = credentialsFile(config)
  if (first === undefined) return [...addresses, `keys         ${await whereKeysAre(config, port)}`, ''].join('\n')
  // With PORT=0 the system chooses the port, so the addresses are known only now.
  if (port !== config.port) await writeCredentials(file, credentialsOf(config, port, first))
  return [
    ...addresses,
    `staging key  ${first.testKey}`,
    `live key     ${terminal ? first.liveKey : `in ${file}`}`,
    ...(terminal ? [`             kept in ${file}`] : []),
    '',
    'Try it:',
    `  ${exampleOf(config, port, { ...first, liveKey: terminal ? first.liveKey : liveKeyIn(file) })}`,
    '',
  ].join('\n')
}

/** Keeps the keys in the file and updates its addresses if the server listens on others now. */
async function whereKeysAre(config: Config, port: number): Promise<string> {
  const file = credentialsFile(config)
  const text = await readUnlinked(file)
  if (text === undefined) return 'not stored here; create one: npx manilla keys create --help'
  const kept = parseObject(text)
  const current = { ...kept, ...addressesOf(config, port) }
  if (kept !== undefined && !isDeepStrictEqual(kept, current)) await writeCredentials(file, current)
  return file
}

/** Undefined if the text is not a JSON object. The operator must have changed it, so the file is not written. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function liveKeyIn(file: string): string {
  return `$(node -p 'JSON.parse(fs.readFileSync(${JSON.stringify(file)})).liveKey')`
}

function exampleOf(config: Config, port: number, { testKey, liveKey }: FirstBusiness): string {
  const [entrance] = entrancesOf(config, port).toSorted((left) => (left.environment === 'staging' ? -1 : 1))
  const key = entrance?.environment === 'staging' ? testKey : liveKey
  return `curl ${entrance?.baseUrl}/v1/balance -H "Authorization: Bearer ${key}"`
}

function credentialsFile(config: Config): string {
  return path.join(config.dataDir, 'credentials.json')
}

function credentialsOf(config: Config, port: number, { businessId, testKey, liveKey }: FirstBusiness): object {
  const { dashboardUrl, ...baseUrls } = addressesOf(config, port)
  return { businessId: formatId('business', businessId), ...baseUrls, testKey, liveKey, dashboardUrl }
}

function addressesOf(config: Config, port: number) {
  const entrances = entrancesOf(config, port)
  const baseUrlOf = (environment: string): string | null =>
    entrances.find((entrance) => entrance.environment === environment)?.baseUrl ?? null
  return {
    stagingBaseUrl: baseUrlOf('staging'),
    productionBaseUrl: baseUrlOf('production'),
    dashboardUrl: dashboardUrlOf(config, port),
  }
}

function writeCredentials(file: string, credentials: object): Promise<void> {
  return writeWhole(file, `${JSON.stringify(credentials, null, 2)}\n`, 0o600)
}

/** How long a process may take to end after it has stopped. The reader of its log has this long, too. */
const exitMs = 5 * secondMs

// A process that runs as root stays root. With the embedded database it must be able to start PostgreSQL as another
// user again; with another database it may read certificates and modules as late as at the next reconnection.
const asRoot = 'running as root, which is not needed; use a dedicated user, see deploy/README.md'

type ServeOptions = { roles: Role[]; migrate: boolean }

export async function serveCommand(options: ServeOptions): Promise<void> {
  const { config, warnings } = readSettings({ rails: true })
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  for (const warning of warnings) log.warn(warning)
  // With the embedded database a developer reads the terminal. With DATABASE_URL a log collector may read JSON lines.
  const say =
    config.databaseUrl === undefined
      ? (text: string) => void process.stdout.write(`${text}\n`)
      : (text: string) => log.info(text)
  const stop = stopOnSignal()
  const serving = { config, log, say, roles: options.roles, stop }
  // Checks the database before SECRET_KEY. Otherwise an operator would set SECRET_KEY first and learn only then that
  // DATABASE_URL is wrong.
  if (config.databaseUrl !== undefined) await requireReachable(config.databaseUrl)
  requireSecretKey(config)
  await requirePorts(config, options.roles)
  await prepareAndServe(serving, options.migrate)
}

async function requireReachable(databaseUrl: string): Promise<void> {
  const client = await openSession(databaseUrl).catch((error: unknown) => {
    throw error instanceof OperatorError ? error : new Unavailable('Cannot connect to the database.', { cause: error })
  })
  await client.end()
}

async function prepareAndServe(serving: Omit<Serving, 'database'>, migrates: boolean): Promise<void> {
  const { stop, say } = serving
  const database = await prepareDatabase(serving, migrates).catch((error: unknown) => {
    if (!stop.aborted) throw error
    return undefined
  })
  if (database === undefined) return say(`stopped on ${String(stop.reason)} before it was ready`)
  try {
    await serve({ ...serving, database })
  } finally {
    await database.release()
  }
  // Work that outlasted the stop, such as an e-mail to a silent server, would keep the process alive.
  setTimeout(() => process.exit(), exitMs).unref()
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
  // A closed terminal sends SIGHUP, and PostgreSQL must not keep running then.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort(signal))
  return stop.signal
}

/** Migrations can take hours. A stop ends them: complete ones are kept, an incomplete one is rolled back. */
async function prepareDatabase(
  { config, log, say, stop }: Omit<Serving, 'database'>,
  migrates: boolean,
): Promise<OpenDatabase> {
  const onStep = (step: string): void => say(`${step} …`)
  const database = await openDatabase(config, { use: 'serve', onStep, onIncident: (text) => log.error(text), stop })
  if (database.embedded || !migrates) return database
  await requireSameDatabase(database)
  await migrate(database.ownerUrl, countMigrations(onStep), undefined, { stop })
  return database
}

async function serve({ config, database, log, say, stop, roles }: Serving): Promise<void> {
  const keys = await loadSecretKeys(config)
  const tracing = await loadTracing(config)
  const databaseUrl = database.serviceUrl
  const hasDashboard = config.dashboard && roles.includes('api')
  const dashboardFiles = hasDashboard ? await readDashboardBuild() : undefined
  if (hasDashboard && dashboardFiles === undefined) {
    log.warn('the dashboard is not built, so /dashboard answers 503: run `npm run build` and restart')
  }
  const given = { log, roles, tracing, leaving: stop, processMetrics: true, dashboardFiles }
  const app = createApp({ config, databaseUrl, ...keys, ...given })
  try {
    const opens = roles.includes('api')
    let first: Awaited<ReturnType<typeof firstRun>>
    const { port } = await app.start(async (ctx) => {
      if (database.embedded && opens) first = await firstRun(ctx, config)
    })
    if (process.geteuid?.() === 0) log.warn(asRoot)
    say(opens ? `listening on ${config.host}:${port}` : 'working')
    const terminal = process.stdout.isTTY
    const dashboard = hasDashboard ? await dashboardLine(app.ctx, config, port, { terminal }) : undefined
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
