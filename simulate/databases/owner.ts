// One connection as the owner of a world's database, which is opened again when it was lost. Queries of concurrent parts of a
// world wait for each other, because a connection runs one statement at a time.

import type pg from 'pg'
import { openSession } from '#platform/db/sessions.ts'
import type { WorldDatabase } from './database.ts'

export function createOwner(address: string): WorldDatabase['ask'] {
  let current: Promise<pg.Client> | undefined
  async function connect(): Promise<pg.Client> {
    const client = await openSession(address)
    client.on('error', () => (current = undefined))
    return client
  }
  async function query(sql: string, values: unknown[]): Promise<unknown[]> {
    current ??= connect()
    current.catch(() => (current = undefined))
    return (await (await current).query<Record<string, unknown>>(sql, values)).rows
  }
  let last: Promise<unknown> = Promise.resolve()
  return async <R>(sql: string, values: unknown[] = []) => {
    const asked = last.then(() => query(sql, values))
    last = asked.catch(() => undefined)
    return (await asked) as R[]
  }
}
