// Tables that grow from empty within one connection, as those of a new service do, without statistics or with those of
// the first day. PostgreSQL then estimates worst, and a cached plan fits the first day only. A test counts the rows
// that PostgreSQL reads, not milliseconds.

import { afterAll, expect } from 'vitest'
import { createDb, statement, type DatabaseConnection, type Db } from '#platform/db/db.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { quietLog, useTestDatabase, type TestDatabase } from './database.ts'
import { asOwner } from './owner.ts'
import { untilHolds } from './patience.ts'

/** When the tables are analysed: never, or once. */
export const analysedWhen = ['never', 'empty', 'young', 'grown'] as const

export type AnalysedWhen = (typeof analysedWhen)[number]

export type GrowingTables = {
  database: TestDatabase
  analysed: AnalysedWhen
  /** A lane's transactions use one dedicated connection, as in the service. The pool has one connection, too. */
  db: Db
  /** A test calls this at the moment for statistics; it analyses the tables if this database has them. */
  are(when: AnalysedWhen): Promise<void>
  /**
   * Dead rows stay in an index until no transaction can see them. PostgreSQL checks all databases of a server, so an
   * open transaction of another test keeps them. This waits for the transactions that are open now.
   */
  untilNobodySeesTheDead(): Promise<void>
  /** Fails if PostgreSQL fetches more rows of tables and indexes than this for the work. */
  expectRows(most: number, work: () => Promise<unknown>): Promise<void>
}

/** For the top of a test file: one database of each kind. */
export function useTablesOfEachSort(): Promise<GrowingTables[]> {
  return Promise.all(analysedWhen.map((when) => useGrowingTables(when)))
}

/** For the top of a test file: a database of this kind. */
export async function useGrowingTables(analysed: AnalysedWhen): Promise<GrowingTables> {
  const database = await useTestDatabase()
  const tables = await asOwner<{ name: string }>(
    database,
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const unattended = tables.map(({ name }) => `alter table ${name} set (autovacuum_enabled = false)`)
  await asOwner(database, unattended.join(';'))
  const options = { url: database.serviceUrl, role: serviceRole, log: quietLog(), metrics: createMetrics() }
  const pool = createDb({ ...options, poolSizeMax: 1 })
  afterAll(() => pool.close())
  const lane = pool.connection('lane')
  const db: Db = { ...pool, transaction: (work, number) => lane.transaction(work, number) }
  const connections = [pool, pool.readers, lane]

  async function are(when: AnalysedWhen): Promise<void> {
    if (when === analysed) await asOwner(database, `vacuum (analyze) ${tables.map(({ name }) => name).join(', ')}`)
  }
  await are('empty')

  return {
    database,
    analysed,
    db,
    are,
    async untilNobodySeesTheDead() {
      const [now] = await asOwner<{ end: string }>(
        database,
        'select pg_snapshot_xmax(pg_current_snapshot())::text as end',
      )
      const begun = 'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as gone'
      await untilHolds(async () => expect(await asOwner(database, begun, [now?.end])).toEqual([{ gone: true }]))
    },
    async expectRows(most, work) {
      const before = await rowsRead(connections)
      await work()
      const read = [...(await rowsRead(connections))].map(([name, rows]) => ({
        name,
        rows: rows - (before.get(name) ?? 0),
      }))
      const sum = read.reduce((total, { rows }) => total + rows, 0)
      const largest = read.toSorted((left, right) => right.rows - left.rows).slice(0, 3)
      expect(sum, `rows read, most of them ${JSON.stringify(largest)}`).toBeLessThanOrEqual(most)
    },
  }
}

type Asked = Pick<DatabaseConnection, 'query'>

const flush = statement('test.flush', 'select pg_stat_force_next_flush()')
const readRows = statement(
  'test.rows_read',
  `select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
   union all
   select indexrelname, idx_tup_read from pg_stat_user_indexes`,
)

/** Counts rows by table and index. A connection reports its counts when it is asked. */
async function rowsRead(connections: Asked[]): Promise<Map<string, number>> {
  for (const connection of connections) await connection.query(flush)
  const rows = (await connections[0]?.query<{ name: string; rows: bigint }>(readRows)) ?? []
  return new Map(rows.map(({ name, rows: read }) => [name, Number(read)]))
}
