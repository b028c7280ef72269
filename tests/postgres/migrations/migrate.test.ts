import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createDb, statement } from '#platform/db/db.ts'
import { OperatorError, Unavailable } from '#platform/errors.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { missingMigrations, requireMigrations } from '#postgres/migrations/state.ts'
import { readMigrations } from '#postgres/migrations/files.ts'
import { migrate, serviceRole } from '#postgres/migrations/migrate.ts'
import { newInitializedDataDir } from '#tests/postgres/embedded/support.ts'
import { skipOnCitus } from '#tests/support/citus.ts'
import { quietLog, useTestDatabase } from '#tests/support/database.ts'
import { withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'
import { appliedIn, createEmpty, migration, type EmptyDatabase } from './support.ts'

const names = (await readMigrations()).map(({ name }) => name)
const migrated = await useTestDatabase()
let empty: EmptyDatabase = { ownerUrl: '', serviceUrl: '' }

function open(url: string) {
  const db = createDb({ url, role: serviceRole, log: quietLog(), metrics: createMetrics() })
  onTestFinished(() => db.close())
  return db
}

const applied = (): Promise<string[]> => appliedIn(empty)

const existing = async (table: string): Promise<boolean> =>
  (await asOwner(empty, 'select 1 from pg_tables where tablename = $1', [table])).length === 1

const [one, two, bad] = [
  migration('0001-one.sql', 'create table one (id int); create table uno (id int);'),
  migration('0002-two.sql', 'create table two (id int);'),
  migration('0002-bad.sql', 'create table half (id int); select 1 / 0; create table rest (id int);'),
]

describe('migrating', () => {
  beforeEach(async () => {
    empty = await createEmpty()
  })

  it('makes an empty database usable by the service, reports what it did, and does nothing the second time', async () => {
    const steps: string[] = []
    expect(await migrate(empty.ownerUrl, (step) => steps.push(step))).toEqual(names)
    expect(steps).toEqual(names.map((name, index) => `migrating ${name} (${index + 1} of ${names.length})`))
    expect(await open(empty.serviceUrl).query(statement('test.lanes', 'select lanes from installation'))).toEqual([
      { lanes: 1 },
    ])
    expect(await migrate(empty.ownerUrl, (step) => steps.push(step))).toEqual([])
    expect(steps).toHaveLength(names.length)
  })

  it('refuses a database from before the first release, says what to do, and changes nothing', async () => {
    await migrate(empty.ownerUrl, undefined, [migration('0001-house.sql', 'create table house (id int);')])
    await expect(migrate(empty.ownerUrl)).rejects.toThrow(
      'This database was made before version 0.1.0 and cannot be upgraded. Use an empty database: remove the folder of DATA_DIR',
    )
    expect(await applied()).toEqual(['0001-house.sql'])
  })

  it('by several processes at once applies everything once', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate(empty.ownerUrl)))
    expect(results.flat().toSorted()).toEqual(names)
    expect(await applied()).toEqual(names)
  })

  it('undoes a migration that fails, keeps those before it, and continues there when it is corrected', async () => {
    const failing = migrate(empty.ownerUrl, undefined, [one, bad])
    await expect(failing).rejects.toThrow(OperatorError)
    await expect(failing).rejects.toThrow('Migration 0002-bad.sql failed and was undone: division by zero')
    expect(await applied()).toEqual([one.name])
    expect([await existing('uno'), await existing('half'), await existing('rest')]).toEqual([true, false, false])
    expect(await migrate(empty.ownerUrl, undefined, [one, two])).toEqual([two.name])
  })

  it('refuses a file that was changed after it was applied, and applies no later one', async () => {
    await migrate(empty.ownerUrl, undefined, [one])
    const changed = migration(one.name, `${one.text} -- and more`)
    const refused = migrate(empty.ownerUrl, undefined, [changed, two])
    await expect(refused).rejects.toThrow(
      'Migration 0001-one.sql was changed after it was applied. Restore the released file.',
    )
    expect(await applied()).toEqual([one.name])
  })

  it('refuses a migration that comes before an applied one', async () => {
    await migrate(empty.ownerUrl, undefined, [two])
    const refused = migrate(empty.ownerUrl, undefined, [one, two])
    await expect(refused).rejects.toThrow('Migration 0001-one.sql comes before 0002-two.sql, which is applied already.')
    expect(await existing('one')).toBe(false)
  })

  it('leaves a database alone that is ahead of this code', async () => {
    await migrate(empty.ownerUrl, undefined, [one, two])
    expect(await migrate(empty.ownerUrl, undefined, [one])).toEqual([])
    expect(await applied()).toEqual([one.name, two.name])
  })

  it('reports a database that does not exist', async () => {
    const refused = migrate(withDatabase(empty.ownerUrl, 'no_such_database'))
    await expect(refused).rejects.toThrow(OperatorError)
    await expect(refused).rejects.toThrow(
      /^Cannot reach the database to migrate it: database "no_such_database" does not exist$/,
    )
  })

  it('reports a login that may not create tables', async (context) => {
    skipOnCitus(context, 'the tests log in as a superuser, who may do everything')
    const refused = migrate(empty.serviceUrl)
    await expect(refused).rejects.toThrow(OperatorError)
    await expect(refused).rejects.toThrow(/^The database cannot be migrated: permission denied for schema public$/)
  })
})

describe('the state of a database', () => {
  it('lacks nothing once it is migrated, also when it is ahead', async () => {
    await asOwner(migrated, `insert into migration values ('9999-later.sql', 'x', '2026-01-15')`)
    expect(await missingMigrations(open(migrated.serviceUrl))).toEqual([])
    await expect(requireMigrations(open(migrated.serviceUrl))).resolves.toBeUndefined()
  })

  it('lists the migrations that were not applied', async () => {
    empty = await createEmpty()
    expect(await missingMigrations(open(empty.serviceUrl))).toEqual(names)
    await migrate(empty.ownerUrl, undefined, (await readMigrations()).slice(0, -1))
    expect(await missingMigrations(open(empty.serviceUrl))).toEqual(names.slice(-1))
    const refused = requireMigrations(open(empty.serviceUrl))
    await expect(refused).rejects.toThrow(`The database lacks ${names.at(-1)}. Run: npx manilla migrate`)
  })

  it('is unknown if it cannot be reached, and the operator gets the reason', async () => {
    const gone = open(withDatabase(inject('serviceUrl'), 'no_such_database'))
    await expect(missingMigrations(gone)).rejects.toBeInstanceOf(Unavailable)
    const refused = requireMigrations(gone)
    await expect(refused).rejects.toThrow(OperatorError)
    await expect(refused).rejects.toThrow(/DATABASE_URL cannot be used: database "no_such_database" does not exist/)
  })
})

describe('the service’s role', () => {
  it('is created if it is missing, also by several processes at once, and granted to the login of the owner', async () => {
    const dataDir = await newInitializedDataDir()
    const postgres = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
    const secret = JSON.parse(await readFile(path.join(dataDir, 'postgres', 'passwords.json'), 'utf8')) as {
      admin: string
    }
    const admin = {
      ownerUrl: withDatabase(postgres.ownerUrl, 'postgres').replace(/\/\/[^@]*@/, `//postgres:${secret.admin}@`),
    }
    const owner = { ownerUrl: postgres.ownerUrl }
    await asOwner({ ownerUrl: withDatabase(admin.ownerUrl, 'manilla') }, `drop owned by ${serviceRole}`)
    await asOwner(admin, `drop role ${serviceRole}`)

    // This server has neither the role nor the migrations.
    expect(await missingMigrations(open(owner.ownerUrl))).toEqual(names)
    const refused = migrate(owner.ownerUrl)
    await expect(refused).rejects.toThrow(
      /may not create the role manilla_service. Ask an administrator to run: create role/,
    )

    await asOwner(admin, 'alter role manilla_owner createrole')
    const results = await Promise.all([migrate(owner.ownerUrl), migrate(owner.ownerUrl), migrate(owner.ownerUrl)])
    expect(results.flat().toSorted()).toEqual(names)
    const db = createDb({ url: owner.ownerUrl, role: serviceRole, log: quietLog(), metrics: createMetrics() })
    const who = statement('test.who', 'select current_user::text as who, session_user::text as login')
    expect(await db.query(who)).toEqual([{ who: serviceRole, login: 'manilla_owner' }])
    await db.close()

    // Another owner's database on the same server: the role exists, and this login neither can nor must join it.
    await asOwner(admin, `create role stranger login password 'x'`)
    await asOwner(admin, 'create database stranger owner stranger')
    const strange = withDatabase(postgres.ownerUrl, 'stranger').replace(/\/\/[^@]*@/, '//stranger:x@')
    expect(await migrate(strange)).toEqual(names)
    await postgres.release()
  })
})
