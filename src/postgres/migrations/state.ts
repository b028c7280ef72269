// Checks that the database has the migrations of this code, at start and for GET /ready.

import pg from 'pg'
import { statement, type Queryable } from '#platform/db/db.ts'
import { OperatorError, Unavailable } from '#platform/errors.ts'
import { readMigrations } from './files.ts'
import { roleRefused } from './prepare.ts'

const appliedNames = statement('migrations.applied', 'select name from migration order by name')

let needed: Promise<string[]> | undefined

/**
 * The migrations that this code needs and the database lacks. The database may have more, because newer code may run
 * too.
 */
export async function missingMigrations(db: Queryable): Promise<string[]> {
  // The files belong to the code, so they are read once: GET /ready asks often.
  needed ??= readMigrations().then((migrations) => migrations.map((migration) => migration.name))
  const applied = new Set(await appliedMigrations(db))
  return (await needed).filter((name) => !applied.has(name))
}

/** Refuses to work on a database that lacks migrations. */
export async function requireMigrations(db: Queryable): Promise<void> {
  const missing = await missingMigrations(db).catch((error: unknown) => Promise.reject(explain(error)))
  if (missing.length > 0) {
    throw new OperatorError(`The database lacks ${missing.join(', ')}. Run: npx manilla migrate (or serve --migrate).`)
  }
}

async function appliedMigrations(db: Queryable): Promise<string[]> {
  try {
    return (await db.query<{ name: string }>(appliedNames)).map((row) => row.name)
  } catch (error) {
    if (neverMigrated(error)) return []
    throw error
  }
}

/** Before the first migration the table of migrations is missing, and perhaps the role of the service too. */
function neverMigrated(error: unknown): boolean {
  const told = error instanceof Unavailable ? error.cause : error
  if (!(told instanceof pg.DatabaseError)) return false
  return told.code === '42P01' || (told.code === '22023' && told.message.includes('role'))
}

function explain(error: unknown): unknown {
  if (!(error instanceof Unavailable) || !(error.cause instanceof Error)) return error
  if (error.cause instanceof pg.DatabaseError && error.cause.code === '42501' && error.cause.message.includes('role')) {
    return new OperatorError(roleRefused, { cause: error.cause })
  }
  return new OperatorError(`The database of DATABASE_URL cannot be used: ${error.cause.message}`, {
    cause: error.cause,
  })
}
