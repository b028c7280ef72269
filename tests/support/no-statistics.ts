// Tables without statistics, as they are from their first row to their first ANALYZE: what PostgreSQL guesses is worst
// then. What a statement costs is counted in rows that PostgreSQL reads, not in milliseconds.

import { afterAll } from 'vitest'
import { createDb, statement, type Db } from '#base/db.ts'
import { createMetrics } from '#base/metrics.ts'
import { serviceRole } from '#migrations/migrate.ts'
import { quietLog, type TestDatabase } from './database.ts'
import { asOwner } from './owner.ts'

export type GrowingTables = {
  /** One connection, so that its statistics can be asked to be reported at once. */
  db: Db
  /** Rows of tables and indexes that PostgreSQL fetches for this work. */
  rowsReadBy(work: () => Promise<unknown>): Promise<number>
}

/** For the top of a test file: nobody analyses the tables meanwhile. */
export async function useTablesWithoutStatistics(database: TestDatabase): Promise<GrowingTables> {
  const tables = await asOwner<{ name: string }>(
    database,
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  for (const { name } of tables) await asOwner(database, `alter table ${name} set (autovacuum_enabled = false)`)
  const options = { url: database.serviceUrl, role: serviceRole, log: quietLog(), metrics: createMetrics() }
  const db = createDb({ ...options, poolSizeMax: 1 })
  afterAll(() => db.close())
  return {
    db,
    async rowsReadBy(work) {
      const before = await rowsRead(db)
      await work()
      return (await rowsRead(db)) - before
    },
  }
}

async function rowsRead(db: Db): Promise<number> {
  await db.query(statement('test.flush', 'select pg_stat_force_next_flush()'))
  const [row] = await db.query<{ read: string }>(
    statement(
      'test.rows_read',
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) + (select sum(idx_tup_read) from pg_stat_user_indexes) as read
         from pg_stat_user_tables`,
    ),
  )
  return Number.parseInt(row?.read ?? '0', 10)
}
