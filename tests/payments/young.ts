// A young table: grown from empty, never analysed, and what PostgreSQL reads of it.

import { statement, type Db } from '#base/db.ts'
import { asOwner } from '#tests/support/owner.ts'

const tables = ['payment', 'event', 'ledger_movement', 'ledger_account', 'tenant']

/** Nobody analyses these meanwhile. */
export async function withoutAutovacuum(database: { ownerUrl: string }): Promise<void> {
  for (const table of tables) await asOwner(database, `alter table ${table} set (autovacuum_enabled = false)`)
}

/** Rows that PostgreSQL fetched from our tables and their indexes so far. */
export async function rowsRead(db: Db): Promise<number> {
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
