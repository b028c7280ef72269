// What must be there before the first migration: the role that the service works under, and the memory of migrations.

import pg from 'pg'
import { OperatorError } from '#base/error.ts'

export const serviceRole = 'manilla_service'

export async function ensureMemory(client: pg.Client): Promise<void> {
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
export async function ensureServiceRole(client: pg.Client): Promise<void> {
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
