// Databases without a table, migrations that a test makes up, and sessions that block them.

import { createHash } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import type { Migration } from '#postgres/migrations/files.ts'
import { dropDatabase } from '#tests/support/database.ts'
import { withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'

export type EmptyDatabase = { ownerUrl: string; serviceUrl: string }

let databases = 0

export async function createEmpty(): Promise<EmptyDatabase> {
  const name = `empty_${process.pid}_${++databases}`
  const admin = { ownerUrl: inject('ownerUrl') }
  await asOwner(admin, `create database ${name}`)
  onTestFinished(() => dropDatabase(name))
  return { ownerUrl: withDatabase(inject('ownerUrl'), name), serviceUrl: withDatabase(inject('serviceUrl'), name) }
}

export function migration(name: string, text: string): Migration {
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
}

export async function appliedIn(database: EmptyDatabase): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(database, 'select name from migration order by name')
  return rows.map(({ name }) => name)
}

/** Opens a snapshot as a backup does: it has read a table and keeps the old view of the database. */
export async function openSnapshot(
  database: { ownerUrl: string },
  table: string,
): Promise<{ pid: number; end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: database.ownerUrl, application_name: 'a backup' })
  client.on('error', () => undefined)
  await client.connect()
  let ended: Promise<void> | undefined
  const end = (): Promise<void> => (ended ??= client.end())
  onTestFinished(end)
  await client.query('set idle_in_transaction_session_timeout = 0')
  await client.query('begin isolation level repeatable read')
  await client.query(`select count(*) from ${table}`)
  const found = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return { pid: found.rows[0]?.pid ?? 0, end }
}

/** Collects the messages of a run of `migrate`, and waits for one of them. */
export function listener() {
  const steps: string[] = []
  return {
    steps,
    onStep: (step: string) => void steps.push(step),
    heard: (what: RegExp) =>
      untilHolds(() => {
        const step = steps.find((one) => what.test(one))
        if (step === undefined) throw new Error(`${what} is not among: ${steps.join(' | ')}`)
        return step
      }),
  }
}
