// Checks that the database has the migrations of this code, at start and for GET /ready. Also creates what the first
// migration needs.

import pg from 'pg'
import { type Queryable, statement } from '#platform/db/db.ts'
import { OperatorError, Unavailable } from '#platform/errors.ts'
import { readMigrations } from './files.ts'

const appliedNames = statement('migrations.applied', 'select name from migration order by name')

let needed: Promise<string[]> | undefined

/** The database may have more migrations, because newer code may run too. */
export async function missingMigrations(db: Queryable): Promise<string[]> {
  // The files are read once, because GET /ready asks often.
  needed ??= readMigrations().then((migrations) => migrations.map((migration) => migration.name))
  const applied = new Set(await appliedMigrations(db))
  return (await needed).filter((name) => !applied.has(name))
}

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

/** Before the first migration, the table of migrations is missing, and perhaps the role of the service too. */
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

export const serviceRole = 'manilla_service'

export const roleRefused =
  `The login of DATABASE_URL may not work as ${serviceRole}, so nothing can be served. As an administrator of PostgreSQL, ` +
  `with the name of that login: grant ${serviceRole} to LOGIN;`

export async function ensureMigrationTable(client: pg.Client): Promise<void> {
  const exists = await client.query("select to_regclass('migration') is not null as yes")
  if ((exists.rows as { yes: boolean }[])[0]?.yes === true) return
  await client
    .query(
      `create table if not exists migration (name text primary key, checksum text not null, applied_at timestamptz not null);
       grant select on migration to ${serviceRole}`,
    )
    .catch((error: unknown) => ignoring(error, raced))
}

/**
 * Creates the role of the service, which owns nothing and gets its privileges from the migrations. If one login
 * migrates and serves, the service switches to this role, so the login must be a member of it.
 */
export async function ensureServiceRole(client: pg.Client): Promise<void> {
  const found = await client.query<{ member: boolean }>(
    // Since PostgreSQL 16 a member may be unable to set the role, as the creator of the role is at first.
    `select pg_has_role(current_user, oid,
              case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end) as member
       from pg_roles where rolname = $1`,
    [serviceRole],
  )
  const [role] = found.rows
  if (role?.member === true) return
  const grant = `grant ${serviceRole} to current_user`
  if (role !== undefined) {
    // An administrator created the role. If we may not grant it, the service perhaps has a login of its own that needs
    // no grant.
    await client.query(grant).catch((error: unknown) => ignoring(error, [...raced, '42501']))
    return
  }
  try {
    await client.query(`create role ${serviceRole} nologin`).catch((error: unknown) => ignoring(error, raced))
    await client.query(grant).catch((error: unknown) => ignoring(error, raced))
  } catch (error) {
    throw new OperatorError(
      `The database user may not create the role ${serviceRole}. Ask an administrator to run: ` +
        `create role ${serviceRole} nologin; grant ${serviceRole} to <this user>;`,
      { cause: error },
    )
  }
}

// The role or table exists already (42710, 42P07), or two processes created it at the same moment (23505; XX000:
// updated concurrently).
const raced = ['42710', '42P07', '23505', 'XX000']

function ignoring(error: unknown, states: string[]): void {
  if (!(error instanceof pg.DatabaseError) || !states.includes(error.code ?? '')) throw error
}
