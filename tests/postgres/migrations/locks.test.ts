// A migration that another session blocks gives way, says which session it is, and leaves nothing behind when it gives
// up.

import { beforeEach, describe, expect, it } from 'vitest'
import { OperatorError } from '#platform/errors.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { asOwner } from '#tests/support/owner.ts'
import { appliedIn, createEmpty, listener, migration, openSnapshot, type EmptyDatabase } from './support.ts'

let empty: EmptyDatabase = { ownerUrl: '', serviceUrl: '' }
const table = migration('0001-table.sql', 'create table item (id int);')
const column = migration('0002-column.sql', 'create table beside (id int); alter table item add column name text;')

beforeEach(async () => {
  empty = await createEmpty()
  await migrate(empty.ownerUrl, undefined, [table])
})

const columns = async (): Promise<unknown[]> =>
  (await asOwner(empty, `select attname from pg_attribute where attrelid = 'item'::regclass and attnum > 0`)).map(
    ({ attname }) => attname,
  )

describe('a migration that gets no lock', () => {
  it('gives way, names the session in its way, and is applied once that session has ended', async () => {
    const backup = await openSnapshot(empty, 'item')
    const [login] = await asOwner(empty, 'select current_user::text as name')
    const { onStep, heard, steps } = listener()
    const migrating = migrate(empty.ownerUrl, onStep, [table, column], { pausesMs: [100, 100, 100, 100] })
    const told = await heard(/gave way/)
    await backup.end()
    expect(await migrating).toEqual([column.name])
    expect(told).toMatch(
      new RegExp(
        `^0002-column.sql gave way to pid ${backup.pid} \\(a backup, user ${String(login?.['name'])}, idle in transaction, in a transaction since [\\d:]{8} UTC\\); trying again in 0.1 s$`,
      ),
    )
    expect(steps.filter((step) => step.startsWith('migrating '))).toEqual([`migrating ${column.name} (1 of 1)`])
    expect(await columns()).toEqual(['id', 'name'])
  })

  it('ends with a message that names the blocking session and says what to do, and leaves nothing half done', async () => {
    const backup = await openSnapshot(empty, 'item')
    const refused = migrate(empty.ownerUrl, undefined, [table, column], { pausesMs: [10] })
    await expect(refused).rejects.toThrow(OperatorError)
    await expect(refused).rejects.toThrow(
      new RegExp(
        `^Migration 0002-column.sql gave way 2 times and was undone; the database is as before it. ` +
          `In its way: pid ${backup.pid} \\(a backup, .*\\). Wait until that is over, or end it with select pg_terminate_backend\\(PID\\), and migrate again.$`,
      ),
    )
    expect(await appliedIn(empty)).toEqual([table.name])
    expect(await columns()).toEqual(['id'])
    expect(await asOwner(empty, `select to_regclass('beside') as beside`)).toEqual([{ beside: null }])
  })
})

describe('a database that is ahead of this code', () => {
  it('is left alone, and the operator gets a message', async () => {
    await migrate(empty.ownerUrl, undefined, [table, column])
    const { onStep, steps } = listener()
    expect(await migrate(empty.ownerUrl, onStep, [table])).toEqual([])
    expect(steps).toEqual(['leaving alone what a later version has applied: 0002-column.sql'])
  })
})
