// The database of a command: the one in DATABASE_URL, or the embedded one. A command shares the embedded PostgreSQL
// with a running server, or starts it while the command runs.

import type pg from 'pg'
import type { Context } from '#platform/context.ts'
import { createDatabaseClock, readDatabaseTime } from '#platform/db/database-clock.ts'
import { createDb } from '#platform/db/db.ts'
import { OperatorError } from '#platform/errors.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { requireOwnSessions } from '#platform/db/pooler.ts'
import { openSession } from '#platform/db/sessions.ts'
import { mailSettingsOf, type Config } from '#config.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { migrate, serviceRole } from '#postgres/migrations/migrate.ts'
import { requireMigrations } from '#postgres/migrations/state.ts'
import { atTerminal } from './arguments.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export type OpenDatabase = {
  embedded: boolean
  /**
   * The migrations that were applied on opening. Empty for the database in DATABASE_URL: opening migrates only the
   * embedded one.
   */
  migrated: string[]
  ownerUrl: string
  serviceUrl: string
  release(): Promise<void>
}

export type OpenDatabaseOptions = {
  use: 'serve' | 'command'
  onStep: (message: string) => void
  onIncident?: (message: string) => void
  stop?: AbortSignal
}

export async function openDatabase(config: Config, options: OpenDatabaseOptions): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) {
    const ownerUrl = config.migrationDatabaseUrl ?? config.databaseUrl
    return { embedded: false, migrated: [], ownerUrl, serviceUrl: config.databaseUrl, release: () => Promise.resolve() }
  }
  const embedded = await openEmbeddedPostgres({ dataDir: config.dataDir, ...options })
  try {
    const migrated = await migrate(embedded.ownerUrl, countMigrations(options.onStep), undefined, {
      stop: options.stop,
    })
    return { ...embedded, embedded: true, migrated, release: () => embedded.release() }
  } catch (error) {
    await embedded.release()
    throw error
  }
}

/** Reports all migrations in one line: a terminal shows a growing count, other output only the total. */
export function countMigrations(onStep: (message: string) => void): (message: string) => void {
  let isAnnounced = false
  return (message) => {
    const [, count, total] = /^migrating \S+ \((\d+) of (\d+)\)$/.exec(message) ?? []
    if (count === undefined) return onStep(message)
    const end = count === total ? '\n' : ''
    if (process.stderr.isTTY) process.stderr.write(`\rmigrating the database: ${count} of ${total}${end}`)
    else if (!isAnnounced) onStep(`migrating the database: ${total} migrations`)
    isAnnounced = true
  }
}

export async function migrateCommand(output: Output): Promise<void> {
  const onStep = (message: string): void => output.step(message)
  const database = await openDatabase(readConfig(), { use: 'command', onStep })
  const applied = [...database.migrated]
  try {
    await requireSameDatabase(database)
    applied.push(...(await migrate(database.ownerUrl, countMigrations(onStep))))
  } finally {
    await database.release()
  }
  const count = `${applied.length} migration${applied.length === 1 ? '' : 's'}`
  output.result({ applied }, applied.length === 0 ? 'The database is up to date.' : `Applied ${count}.`)
}

// The start time identifies a server, whichever address or pooler leads to it.
const whichDatabase = `select current_database() as name, oid::text || ' ' || pg_postmaster_start_time()::text as identity
  from pg_database where datname = current_database()`

/** Throws if the two settings name different databases. Does nothing if one of them cannot be reached. */
export async function requireSameDatabase({ ownerUrl, serviceUrl }: OpenDatabase): Promise<void> {
  if (ownerUrl === serviceUrl) return
  const [owner, service] = await Promise.all([askWhich(ownerUrl), askWhich(serviceUrl)])
  if (owner === undefined || service === undefined || owner.identity === service.identity) return
  const names = owner.name === service.name ? ` (both are called ${owner.name})` : `: ${owner.name} and ${service.name}`
  throw new OperatorError(
    `MIGRATION_DATABASE_URL and DATABASE_URL name two different databases${names}. Set both to the same database.`,
  )
}

async function askWhich(url: string): Promise<{ name: string; identity: string } | undefined> {
  let client: pg.Client | undefined
  try {
    client = await openSession(url)
    return (await client.query<{ name: string; identity: string }>(whichDatabase)).rows[0]
  } catch {
    return undefined // The next use of this database reports the reason.
  } finally {
    await client?.end()
  }
}

type OnDatabase = <T>(
  config: Config,
  onStep: (message: string) => void,
  work: (ctx: Context) => Promise<T>,
) => Promise<T>

export const withContext: OnDatabase = (config, onStep, work) =>
  withDatabase(config, onStep, (database) => inContext(config, database, work))

/**
 * Runs a command's work as the owner of the tables, for what the service's role may not do. Throws for a login that may
 * not delete ledger movements.
 */
export const withOwnerContext: OnDatabase = (config, onStep, work) =>
  withDatabase(config, onStep, async (database) => {
    await requireSameDatabase(database)
    await requireOwner(database)
    return inContext(config, database, work, 'owner')
  })

async function withDatabase<T>(
  config: Config,
  onStep: (message: string) => void,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config, { use: 'command', onStep })
  try {
    return await work(database)
  } finally {
    await database.release()
  }
}

async function requireOwner({ ownerUrl }: OpenDatabase): Promise<void> {
  const client = await openSession(ownerUrl)
  try {
    const asked = `select has_table_privilege(current_user, 'ledger_movement', 'delete') as yes`
    const { rows } = await client.query<{ yes: boolean }>(asked)
    if (rows[0]?.yes !== true)
      throw new OperatorError('Only the owner of the tables may do that. Set MIGRATION_DATABASE_URL to that login.')
  } finally {
    await client.end()
  }
}

export async function inContext<T>(
  config: Config,
  database: OpenDatabase,
  work: (ctx: Context) => Promise<T>,
  as: 'service' | 'owner' = 'service',
): Promise<T> {
  const session = as === 'owner' ? { url: database.ownerUrl } : { url: database.serviceUrl, role: serviceRole }
  if (!database.embedded) await requireOwnSessions(session.url)
  const log = createLog({ level: 'warn', format: config.logFormat, write: (line) => void process.stderr.write(line) })
  const metrics = createMetrics()
  const db = createDb({ ...session, log, metrics })
  const clock = createDatabaseClock({ readTimeMs: () => readDatabaseTime(db), log, metrics })
  try {
    await requireMigrations(db)
    await clock.start()
    return await work({ db, log, metrics, clock, by: atTerminal(), sendsMail: mailSettingsOf(config) !== undefined })
  } finally {
    await clock.stop()
    await db.close()
  }
}
