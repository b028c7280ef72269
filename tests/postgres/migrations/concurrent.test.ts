// Migrations that run outside of a transaction: cut off anywhere, they can be run again.

import { beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '#postgres/migrations/migrate.ts'
import { asOwner } from '#tests/support/owner.ts'
import { appliedIn, createEmpty, listener, migration, openSnapshot, type EmptyDatabase } from './support.ts'

const outside = '-- manilla: no transaction\n'
const table = migration('0001-table.sql', 'create table item (id int); insert into item values (1), (1);')
const index = migration('0002-index.sql', `${outside}create index concurrently item_id on item (id);\n`)
const gone = migration('0003-gone.sql', `${outside}drop index concurrently if exists item_id;\n`)

let empty: EmptyDatabase = { ownerUrl: '', serviceUrl: '' }

beforeEach(async () => {
  empty = await createEmpty()
  await migrate(empty.ownerUrl, undefined, [table])
})

const indexes = () =>
  asOwner<{ oid: number; valid: boolean }>(
    empty,
    `select indexrelid as oid, indisvalid as valid from pg_index where indrelid = 'item'::regclass`,
  )

const kill = (which: 'all' | 'idle') =>
  asOwner(
    empty,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'manilla migrate'
        and (state = 'idle in transaction' or $1 = 'all')`,
    [which],
  )

describe('an index that is built concurrently', () => {
  it('is built once by two processes that migrate at once, whatever limits the database has, behind an open snapshot', async () => {
    await asOwner(empty, limits)
    const backup = await openSnapshot(empty, 'item')
    const { onStep, heard } = listener()
    const [one, other] = [0, 1].map(() => migrate(empty.ownerUrl, onStep, [table, index]))
    await heard(waits(backup.pid))
    await heard(/^waiting until another process has migrated: pid \d+ \(manilla migrate, /)
    await backup.end()
    expect((await Promise.all([one, other])).flat()).toEqual([index.name])
    expect(await appliedIn(empty)).toEqual([table.name, index.name])
    expect(await indexes()).toEqual([{ oid: expect.any(Number), valid: true }])
  })

  it('is built again if its build was interrupted', async () => {
    const backup = await openSnapshot(empty, 'item')
    const { onStep, heard } = listener()
    const ended = migrate(empty.ownerUrl, onStep, [table, index]).catch(String)
    await heard(waits(backup.pid))
    await kill('all')
    expect(await ended).toMatch(
      /Migration 0002-index.sql was cut off: .*\. Migrate again: finished steps are kept, and the rest starts over\.$/,
    )
    await backup.end()
    const [left] = await indexes()
    expect(left?.valid).toBe(false)
    expect(await appliedIn(empty)).toEqual([table.name])

    expect(await migrate(empty.ownerUrl, undefined, [table, index])).toEqual([index.name])
    const [built] = await indexes()
    expect(built?.valid).toBe(true)
    expect(built?.oid).not.toBe(left?.oid)
  })

  it('is kept when the server finished it for a process that was gone', async () => {
    const backup = await openSnapshot(empty, 'item')
    const [first, second] = [listener(), listener()]
    const ended = migrate(empty.ownerUrl, first.onStep, [table, index]).catch(String)
    await first.heard(waits(backup.pid))
    const [begun] = await indexes()
    await kill('idle')
    const migrating = migrate(empty.ownerUrl, second.onStep, [table, index])
    await second.heard(/^0002-index.sql waits for pid \d+ \(manilla migrate, /)
    await backup.end()
    expect(await ended).toMatch(/Migration 0002-index.sql was cut off: /)
    expect(await migrating).toEqual([index.name])
    expect(await indexes()).toEqual([{ oid: begun?.oid, valid: true }])
  })

  it('leaves no index that refuses rows if its rows cannot be unique', async () => {
    const unique = migration('0002-unique.sql', `${outside}create unique index concurrently item_id on item (id);\n`)
    await expect(migrate(empty.ownerUrl, undefined, [table, unique])).rejects.toThrow(
      /^Migration 0002-unique.sql failed and was undone: could not create unique index "item_id"$/,
    )
    expect(await indexes()).toEqual([])
    expect(await appliedIn(empty)).toEqual([table.name])
  })

  it('is not taken for another index with its name', async () => {
    await asOwner(empty, 'create table other (id int); create index item_id on other (id)')
    await expect(migrate(empty.ownerUrl, undefined, [table, index])).rejects.toThrow(
      'The index item_id exists already, on another table than item.',
    )
  })

  it('is dropped concurrently, also when it is gone already', async () => {
    expect(await migrate(empty.ownerUrl, undefined, [table, index, gone])).toEqual([index.name, gone.name])
    expect(await indexes()).toEqual([])
    await asOwner(empty, 'delete from migration where name = $1', [gone.name])
    expect(await migrate(empty.ownerUrl, undefined, [table, index, gone])).toEqual([gone.name])
  })
})

describe('a migration outside a transaction', () => {
  it('is refused if an interruption could leave it half done', async () => {
    const two = migration('0002-two.sql', `${outside}create table one (id int); create table two (id int);`)
    await expect(migrate(empty.ownerUrl, undefined, [table, two])).rejects.toThrow(
      /^Migration 0002-two.sql may run outside of a transaction only as one statement: create \[unique\] index concurrently/,
    )
    expect(await asOwner(empty, `select to_regclass('one') as one`)).toEqual([{ one: null }])
  })
})

const waits = (pid: number) =>
  new RegExp(`^0002-index.sql waits for pid ${pid} \\(a backup, .*\\); no other session waits for it$`)

/**
 * A timeout shorter than the wait that follows, and an isolation level whose snapshot lasts as long as its transaction.
 */
const limits = `do $$ begin
  execute format('alter database %I set statement_timeout = 100', current_database());
  execute format('alter database %I set lock_timeout = 100', current_database());
  execute format('alter database %I set idle_in_transaction_session_timeout = 100', current_database());
  execute format('alter database %I set default_transaction_isolation = ''repeatable read''', current_database());
end $$`
