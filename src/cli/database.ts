// The database that a command works on: the one in DATABASE_URL, or the embedded one, which is joined when a server
// runs on it and started for the moment when none does.

import type { Context } from '#base/context.ts'
import { createDatabaseClock, readDatabaseTime } from '#base/database-clock.ts'
import { createDb } from '#base/db.ts'
import { createLog } from '#base/log.ts'
import { createMetrics } from '#base/metrics.ts'
import type { Config } from '#config.ts'
import { openEmbeddedPostgres } from '#embedded/open.ts'
import { migrate, serviceRole } from '#migrations/migrate.ts'
import { requireMigrations } from '#migrations/state.ts'
import { atTerminal } from './at-terminal.ts'

export type OpenDatabase = {
  embedded: boolean
  /** The owner: migrates. */
  ownerUrl: string
  /** The service's own role. */
  serviceUrl: string
  release(): Promise<void>
}

export type OpenDatabaseOptions = {
  use: 'serve' | 'command'
  onStep: (message: string) => void
  onIncident?: (message: string) => void
}

export async function openDatabase(config: Config, options: OpenDatabaseOptions): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) {
    const ownerUrl = config.migrationDatabaseUrl ?? config.databaseUrl
    return { embedded: false, ownerUrl, serviceUrl: config.databaseUrl, release: () => Promise.resolve() }
  }
  const embedded = await openEmbeddedPostgres({ dataDir: config.dataDir, ...options })
  try {
    await migrate(embedded.ownerUrl, options.onStep)
  } catch (error) {
    await embedded.release()
    throw error
  }
  return { ...embedded, embedded: true, release: () => embedded.release() }
}

/** Runs a command's work on the database, as the service's role. */
export async function withContext<T>(
  config: Config,
  onStep: (message: string) => void,
  work: (ctx: Context) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config, { use: 'command', onStep })
  const log = createLog({ level: 'warn', format: config.logFormat, write: (line) => void process.stderr.write(line) })
  const metrics = createMetrics()
  const db = createDb({ url: database.serviceUrl, role: serviceRole, log, metrics })
  const clock = createDatabaseClock({ readTimeMs: () => readDatabaseTime(db), log, metrics })
  try {
    await requireMigrations(db)
    await clock.start()
    return await work({ db, log, metrics, clock, by: atTerminal() })
  } finally {
    await clock.stop()
    await db.close()
    await database.release()
  }
}
