// `manilla serve`: prepares the database, starts the App, says where it is, and stops in order when asked to.

import { createApp, requirePorts, type Role } from '#app.ts'
import { createLog, type Log } from '#base/log.ts'
import { loadSecretKey } from '#base/secret.ts'
import type { Config } from '#config.ts'
import { migrate } from '#migrations/migrate.ts'
import { openDatabase, type OpenDatabase } from './database.ts'
import { firstRun, welcome } from './first-run.ts'
import { readConfig } from './settings.ts'

export type ServeOptions = { roles: Role[]; migrate: boolean }

export async function serveCommand(options: ServeOptions): Promise<void> {
  const config = readConfig()
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  // With the embedded database a developer reads the terminal; with DATABASE_URL a log collector reads JSON lines.
  const say =
    config.databaseUrl === undefined
      ? (text: string) => void process.stdout.write(`${text}\n`)
      : (text: string) => log.info(text)
  const stopAsked = new Promise<string>((resolve) => {
    // SIGHUP too: a terminal that is closed must not leave PostgreSQL behind.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal))
  })
  await requirePorts(config, options.roles)
  const database = await openDatabase(config, {
    use: 'serve',
    onStep: (step) => say(`${step} …`),
    onIncident: (incident) => log.error(incident),
  })
  try {
    if (!database.embedded && options.migrate) await migrate(database.ownerUrl, (step) => say(`${step} …`))
    await serve({ config, database, log, say, stopAsked, roles: options.roles })
  } finally {
    await database.release()
  }
}

type Serving = {
  config: Config
  database: OpenDatabase
  log: Log
  say: (text: string) => void
  stopAsked: Promise<string>
  roles: Role[]
}

async function serve({ config, database, log, say, stopAsked, roles }: Serving): Promise<void> {
  const secretKey = await loadSecretKey(config)
  const app = createApp({ config, databaseUrl: database.serviceUrl, secretKey, log, roles, processMetrics: true })
  try {
    const opens = roles.includes('api')
    let first: Awaited<ReturnType<typeof firstRun>>
    const { port } = await app.start(async (ctx) => {
      if (database.embedded && opens) first = await firstRun(ctx, config)
    })
    say(opens ? `listening on ${config.host}:${port}` : 'working')
    if (database.embedded && opens) say(await welcome(config, port, first))
    say(`stopping on ${await stopAsked} …`)
  } finally {
    await app.stop()
  }
  say('stopped')
}
