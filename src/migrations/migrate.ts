// Migrations are plain SQL files, applied in order, once, forward only. Each runs in one transaction with a lock on the
// table that remembers it, so that two processes that start together do it once, and a failure leaves nothing half done.

import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import pg from 'pg'
import { OperatorError } from '#base/error.ts'

export const serviceRole = 'manilla_service'

export type Migration = { name: string; checksum: string; text: string }

const folder = new URL('../../db/migrations/', import.meta.url)

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** Applies what is missing, as the owner of the database. Returns the names that were applied now. */
export async function migrate(
  ownerUrl: string,
  onStep: (message: string) => void = () => undefined,
  migrations?: Migration[],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined) // Every query reports its own failure.
  try {
    await client.connect()
  } catch (error) {
    throw new OperatorError(`Cannot reach the database to migrate it: ${messageOf(error)}`, { cause: error })
  }
  try {
    await ensureServiceRole(client)
    await ensureMemory(client)
    const applied: string[] = []
    for (const migration of migrations ?? (await readMigrations())) {
      if (await apply(client, migration, onStep)) applied.push(migration.name)
    }
    return applied
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The database cannot be migrated: ${messageOf(error)}`, { cause: error })
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, migration: Migration, onStep: (message: string) => void): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query('lock table migration in share row exclusive mode')
    if (await isApplied(client, migration)) {
      await client.query('commit')
      return false
    }
    onStep(`migrating ${migration.name}`)
    await client.query(migration.text)
    const values = [migration.name, migration.checksum, new Date()]
    await client.query('insert into migration (name, checksum, applied_at) values ($1, $2, $3)', values)
    await client.query('commit')
    return true
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`Migration ${migration.name} failed and was undone: ${messageOf(error)}`, { cause: error })
  }
}

async function isApplied(client: pg.Client, { name, checksum }: Migration): Promise<boolean> {
  const found = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migration where name >= $1 order by name',
    [name],
  )
  const before = found.rows.find((row) => row.name === name)
  if (before?.checksum === checksum) return true
  if (before !== undefined) {
    throw new OperatorError(`Migration ${name} was changed after it was applied. Restore the released file.`)
  }
  const [later] = found.rows
  if (later === undefined) return false
  throw new OperatorError(
    `Migration ${name} comes before ${later.name}, which is applied already. Give it a later number.`,
  )
}

async function ensureMemory(client: pg.Client): Promise<void> {
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
 * The role that the service runs under: it owns nothing and gets its privileges from the migrations. An operator may
 * use one login to migrate and to serve. The service then switches to this role, so the login must be a member of it.
 */
async function ensureServiceRole(client: pg.Client): Promise<void> {
  const found = await client.query<{ member: boolean }>(
    `select pg_has_role(current_user, oid, 'member') as member from pg_roles where rolname = $1`,
    [serviceRole],
  )
  const [role] = found.rows
  if (role?.member === true) return
  const grant = `grant ${serviceRole} to current_user`
  if (role !== undefined) {
    // An administrator made it, perhaps with a login of its own; then the service needs nothing from us.
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

// It exists already (42710, 42P07), or two processes made it at the same moment (23505, XX000: updated concurrently).
const raced = ['42710', '42P07', '23505', 'XX000']

function ignoring(error: unknown, states: string[]): void {
  if (!(error instanceof pg.DatabaseError) || !states.includes(error.code ?? '')) throw error
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
