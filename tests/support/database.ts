// A database for one test file: a copy of the template, which is dropped when the file ends.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject, onTestFinished } from 'vitest'
import { createDb, type Db, type DbOptions } from '#platform/db/db.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { citusUrl, onEveryNode } from './citus.ts'
import { templateName, withDatabase } from './global-setup.ts'
import { leave } from './owner.ts'
import { eventually } from './patience.ts'

export type TestDatabase = {
  ownerUrl: string
  serviceUrl: string
  /** Connects as the service's role, with its privileges. */
  connect(): Db
  drop(): Promise<void>
}

/** Sets the privileges that the embedded database has, because a copy of the template is open to every role. */
export function forServiceAlone(name: string): string[] {
  return [`revoke all on database ${name} from public`, `grant connect on database ${name} to ${serviceRole}`]
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template ${templateName} strategy = file_copy`, ...forServiceAlone(name))
  const opened: Db[] = []
  const serviceUrl = withDatabase(inject('serviceUrl'), name)
  return {
    ownerUrl: withDatabase(inject('ownerUrl'), name),
    serviceUrl,
    connect() {
      const db = createDb({ url: serviceUrl, role: serviceRole, log: quietLog(), metrics: createMetrics() })
      opened.push(db)
      return db
    },
    async drop() {
      await Promise.all(opened.map((db) => db.close()))
      await dropDatabase(name)
    },
  }
}

/** A pool of the service's role, which is closed when the test is over. */
export function openForTest(database: TestDatabase, options: Partial<DbOptions> = {}): Db {
  const usual = { url: database.serviceUrl, role: serviceRole, log: quietLog(), metrics: createMetrics() }
  const opened = createDb({ ...usual, ...options })
  onTestFinished(() => opened.close())
  return opened
}

/** For the top of a test file: made at once, dropped when the file ends. */
export async function useTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  afterAll(() => database.drop())
  return database
}

/**
 * With `force`, because a killed service may still be connected and a pooler keeps sessions. PostgreSQL refuses `force`
 * while autovacuum works in the database, because that process belongs to the superuser. Without `force`, PostgreSQL
 * stops autovacuum and waits some seconds for the other sessions. So the attempts alternate.
 */
export async function dropDatabase(name: string): Promise<void> {
  leave()
  await eventually(`database ${name} to be nobody's`, async () => {
    for (const how of [' with (force)', '']) if (await isDropped(`drop database if exists ${name}${how}`)) return true
    return undefined
  })
}

async function isDropped(statement: string): Promise<boolean> {
  try {
    await asAdmin(statement)
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && inUseStates.has(error.code ?? '')) return false
    throw error
  }
}

/** The error codes of both refusals: a session may not be ended; a session did not end. */
const inUseStates = new Set(['42501', '55006'])

export function quietLog() {
  return createLog({ level: 'silent', format: 'json', write: () => undefined })
}

async function asAdmin(...statements: string[]): Promise<void> {
  const url = inject('ownerUrl')
  if (citusUrl !== undefined) {
    await onEveryNode(url, statements)
    return
  }
  administrators ??= openAdministrators(url)
  for (const sql of statements) await administrators.query(sql)
}

/** One session of this process, because a new one costs about as much as the statement that makes a database. */
let administrators: pg.Pool | undefined

function openAdministrators(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // PostgreSQL may end the session between two files, and the next statement opens another one.
  pool.on('error', () => undefined)
  return pool
}
