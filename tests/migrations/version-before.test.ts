// While a new version is rolled out, the one before it works on the new tables. Every statement that it may send
// (version-before.json, which a release writes) is planned by PostgreSQL on the schema of today, under the service's role: so
// each table and column of it is there, of a type that suits, with its rights, and each key that an insert goes by.
// What no plan tells, a column that it leaves empty or a CHECK that its rows break, rules.test.ts refuses by the text.

import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMigrations } from '#migrations/files.ts'
import { useTestDatabase } from '#tests/support/database.ts'

type Kept = { version: string; lastMigration: string; statements: Record<string, string> }

const kept = JSON.parse(await readFile(new URL('version-before.json', import.meta.url), 'utf8')) as Kept
const database = await useTestDatabase()
const owner = new pg.Client({ connectionString: database.ownerUrl })

beforeAll(() => owner.connect())
afterAll(() => owner.end())

/** The statements of the version before that fail after this change of the schema, each with PostgreSQL's reason. */
async function brokenBy(change: string): Promise<string[]> {
  const broken: string[] = []
  await owner.query(`begin; ${change}; set local role manilla_service`)
  for (const [name, text] of Object.entries(kept.statements)) {
    await owner.query('savepoint before')
    try {
      await owner.query(`explain (generic_plan) ${text}`)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      broken.push(`${name}: ${error.message}`)
    }
    await owner.query('rollback to before')
  }
  await owner.query('rollback')
  return broken
}

describe('the version before', () => {
  it('is one whose migrations are a part of ours', async () => {
    expect((await readMigrations()).map(({ name }) => name)).toContain(kept.lastMigration)
    expect(Object.keys(kept.statements).length).toBeGreaterThan(300)
  })

  it('works on the tables of this one', async () => {
    expect(await brokenBy('select 1')).toEqual([])
  })
})

describe('it would not, and that is noticed, after a migration that', () => {
  it.each([
    ['drops a column', 'alter table tenant drop column environment cascade', 'column "environment" does not exist'],
    ['renames a column', 'alter table payment rename column due_at to next_at', 'column "due_at" does not exist'],
    ['drops a table', 'drop table payout_pause', 'relation "payout_pause" does not exist'],
    ['renames a table', 'alter table event rename to fact', 'relation "event" does not exist'],
    ['changes a type', 'alter table payment alter column due_at type text', 'is of type text|operator does not exist'],
    ['takes away a right', 'revoke insert on event from manilla_service', 'permission denied for table event'],
    [
      'drops the key that an insert goes by',
      'alter table payout_pause drop constraint payout_pause_environment_business_id_key',
      'no unique or exclusion constraint',
    ],
  ])('%s', async (_what, change, message) => {
    expect(await brokenBy(change)).toContainEqual(expect.stringMatching(message))
  })
})
