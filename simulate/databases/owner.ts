// One connection as the owner of a world's database, opened anew when it was lost.

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
  return async <R>(sql: string, values: unknown[] = []) => {
    current ??= connect()
    current.catch(() => (current = undefined))
    const { rows } = await (await current).query<Record<string, unknown>>(sql, values)
    return rows as R[]
  }
}
