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
  const names = (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** Applies what is missing, as the owner of the database. Returns the names that were applied now. */
export async function migrate(ownerUrl: string, onStep: (message: string) => void = () => undefined): Promise<string[]> {
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
    for (const migration of await readMigrations()) {
      if (await apply(client, migration, onStep)) applied.push(migration.name)
    }
    return applied
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, migration: Migration, onStep: (message: string) => void): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query('lock table migration in share row exclusive mode')
    const found = await client.query('select checksum from migration where name = $1', [migration.name])
    const [before] = found.rows as { checksum: string }[]
    if (before !== undefined) {
      await client.query('commit')
      if (before.checksum === migration.checksum) return false
      throw new OperatorError(`Migration ${migration.name} was changed after it was applied. Restore the released file.`)
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

async function ensureMemory(client: pg.Client): Promise<void> {
  const exists = await client.query("select to_regclass('migration') is not null as yes")
  if ((exists.rows as { yes: boolean }[])[0]?.yes === true) return
  await client
    .query(
      `create table if not exists migration (name text primary key, checksum text not null, applied_at timestamptz not null);
       grant select on migration to ${serviceRole}`,
    )
    .catch((error: unknown) => ignoreRace(error))
}

/** The role that the service runs under: it owns nothing and gets its privileges from the migrations. */
async function ensureServiceRole(client: pg.Client): Promise<void> {
  const exists = await client.query('select 1 from pg_roles where rolname = $1', [serviceRole])
  if (exists.rowCount !== 0) return
  try {
    // Whoever migrates may also serve with the same login: it then steps down to the service's role.
    await client.query(`create role ${serviceRole} nologin`).catch((error: unknown) => ignoreRace(error))
    await client.query(`grant ${serviceRole} to current_user`)
  } catch (error) {
    throw new OperatorError(
      `The database user may not create the role ${serviceRole}. Ask an administrator to run: ` +
        `create role ${serviceRole} nologin; grant ${serviceRole} to <this user>;`,
      { cause: error },
    )
  }
}

// It exists already (42710, 42P07), or two processes created it at the same moment (23505).
function ignoreRace(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || !['42710', '42P07', '23505'].includes(error.code ?? '')) throw error
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
