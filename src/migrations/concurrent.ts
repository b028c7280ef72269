// What runs outside of a transaction, statement by statement, so that whoever is cut off anywhere can begin again: an
// index that is whole is kept, one that was left behind half built is dropped and built anew.

import type pg from 'pg'
import { OperatorError } from '#base/error.ts'
import type { Concurrent } from './files.ts'
import { outwaitBuilders } from './waiting.ts'

export async function runConcurrent(
  session: pg.Client,
  change: Concurrent,
  tell: (who: string) => void,
): Promise<void> {
  if (change.kind === 'drop') {
    await session.query(change.statement)
    return
  }
  // An index that is invalid while nobody builds will remain so.
  await outwaitBuilders(session, change.table, tell)
  const state = await stateOf(session, change)
  if (state === 'valid') return
  if (state === 'invalid') await drop(session, change)
  try {
    await session.query(change.statement)
  } catch (error) {
    // An invalid unique index already refuses rows, so it must not stay. When it cannot go now, the next run drops it.
    if ((await stateOf(session, change).catch(() => 'unknown')) === 'invalid') {
      await drop(session, change).catch(() => undefined)
    }
    throw error
  }
}

type Created = Concurrent & { kind: 'create' }

async function stateOf(session: pg.Client, { index, table }: Created): Promise<'absent' | 'invalid' | 'valid'> {
  const found = await session.query<{ valid: boolean; here: boolean }>(
    `select indisvalid as valid, indrelid = to_regclass($2) as here from pg_index where indexrelid = to_regclass($1)`,
    [index, table],
  )
  const [row] = found.rows
  if (row === undefined) return 'absent'
  if (!row.here) throw new OperatorError(`The index ${index} exists already, on another table than ${table}.`)
  return row.valid ? 'valid' : 'invalid'
}

async function drop(session: pg.Client, { index }: Created): Promise<void> {
  await session.query(`drop index concurrently if exists ${index}`)
}
