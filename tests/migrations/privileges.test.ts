// What the service's own role may do: whatever the code forgets, the database refuses.

import { describe, expect, it } from 'vitest'
import { statement } from '#base/db.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const db = database.connect()

async function privilegesOf(table: string): Promise<string> {
  const rows = await asOwner<{ privilege: string }>(
    database,
    `select privilege from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as privilege
      where has_table_privilege('manilla_service', $1, privilege)`,
    [table],
  )
  return rows.map((row) => row.privilege).join(' ')
}

async function columnsToUpdate(table: string): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(
    database,
    `select attname as name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and has_column_privilege('manilla_service', attrelid, attnum, 'update')`,
    [table],
  )
  return rows.map((row) => row.name)
}

describe('the service', () => {
  it.each([
    ['installation', 'select'],
    ['migration', 'select'],
    ['business', 'select insert'],
    ['tenant', 'select insert'],
    ['api_key', 'select insert update'],
    ['ledger_account', 'select insert'],
    ['ledger_movement', 'select insert'],
  ])('may do with %s what it needs: %s', async (table, privileges) => {
    expect(await privilegesOf(table)).toBe(privileges)
  })

  it('may change the totals of an account, and neither whose it is nor what it is', async () => {
    expect(await columnsToUpdate('ledger_account')).toEqual(['debits', 'credits', 'movements', 'touched_at'])
    expect(await columnsToUpdate('ledger_movement')).toEqual([])
  })

  it('owns no table, and may empty none or hang a trigger on it', async () => {
    const tables = await asOwner<{ name: string; owner: string }>(
      database,
      `select tablename as name, tableowner as owner from pg_tables where schemaname = 'public'`,
    )
    expect(tables.length).toBeGreaterThan(5)
    for (const { name, owner } of tables) {
      expect(owner).not.toBe('manilla_service')
      expect(await privilegesOf(name), name).not.toMatch(/truncate|references|trigger/)
    }
  })

  it.each([
    ['change a movement', 'update ledger_movement set amount = 1'],
    ['delete a movement', 'delete from ledger_movement'],
    ['delete an account', 'delete from ledger_account'],
    ['move an account to another tenant', 'update ledger_account set tenant_id = tenant_id'],
    ['rename a business', `update business set name = 'x'`],
    ['forget a migration', 'delete from migration'],
    ['change the number of lanes', 'update installation set lanes = 2'],
    ['make a table', 'create table mine (id int)'],
    ['drop a table', 'drop table ledger_movement'],
    ['lift a check', 'alter table ledger_account drop constraint ledger_account_not_negative'],
    ['make a role', 'create role accomplice'],
    ['read passwords', 'select rolpassword from pg_authid'],
    ['read files', `select pg_read_file('postgresql.conf')`],
    ['run programs', `copy (select 1) to program 'true'`],
  ])('may not %s', async (_what, sql) => {
    await expect(db.query(statement(`test.${sql}`.slice(0, 63), sql))).rejects.toMatchObject({ code: '42501' })
  })
})
