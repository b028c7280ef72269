// Migrations under traffic: the service accepts transfers while a migration changes a busy table and another session
// keeps a snapshot open. No transfer is refused, and none waits longer than a migration may make it wait.

import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { readMigrations, type Migration } from '#postgres/migrations/files.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import type { Client } from '#tests/support/client.ts'
import { migrationsLetTheServiceWork } from '#tests/support/migration-rules.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { useService } from '#tests/support/service.ts'
import { sampleTree } from '#tests/support/tree.ts'
import { listener, openSnapshot } from './support.ts'

const service = await useService()

// The two seconds of a lock, ten times over for a busy machine. If the migration did not give up its lock, no traffic
// would go on, and the snapshot stays open until traffic has gone on.
const waitMsMax = 20_000
const callers = 8

const files = {
  '9001-column.sql': `alter table payment add column note text not null default '';\n`,
  '9002-constraint.sql':
    '-- suits the version before: it writes no note into a payment.\nalter table payment add constraint payment_note check (length(note) <= 100) not valid;\n',
  '9003-validated.sql': 'alter table payment validate constraint payment_note;\n',
  '9004-index.sql': `-- manilla: no transaction\ncreate index concurrently payment_noted on payment (lane, tenant_id, note) where note <> '';\n`,
}

async function folderOf(texts: Record<string, string>): Promise<URL> {
  const folder = await newFolder('migrations')
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(folder, name), text)
  return pathToFileURL(`${folder}/`)
}

type Taken = { status: number; ms: number }

/** Several callers send transfers, one after the other, until they are stopped. */
function startTraffic(client: Client) {
  const taken: Taken[] = []
  let stopped = false
  async function call(): Promise<void> {
    while (!stopped) {
      const begun = performance.now()
      const { status } = await client.post('/v1/transfers/initiate', transferBody({ accountNumber: neverEnding }))
      taken.push({ status, ms: performance.now() - begun })
    }
  }
  const calls = Array.from({ length: callers }, () => call())
  const stop = async (): Promise<Taken[]> => {
    stopped = true
    await Promise.all(calls)
    return taken
  }
  onTestFinished(async () => void (await stop()))
  return {
    stop,
    /** More transfers than were in progress. */
    goesOn: () => {
      const before = taken.length
      return untilHolds(() => expect(taken.length).toBeGreaterThan(before + 5 * callers))
    },
  }
}

/**
 * Migrates while a snapshot is open. The snapshot closes after the migration has reported it and traffic has gone on.
 */
async function migrateBehindSnapshot(migrations: Migration[], told: RegExp, goesOn: () => Promise<void>) {
  const backup = await openSnapshot(service.database, 'payment')
  const { onStep, heard } = listener()
  const migrating = migrate(service.database.ownerUrl, onStep, migrations)
  expect(await heard(told)).toContain(`pid ${backup.pid} (a backup, `)
  await goesOn()
  await backup.end()
  return migrating
}

it('accepts every transfer in time while a column, a constraint and an index are added behind an open snapshot', async () => {
  const migrations = await readMigrations(await folderOf(files))
  const traffic = startTraffic(service.staging)
  await traffic.goesOn()

  const locking = migrations.slice(0, 3)
  const lockingNames = locking.map(({ name }) => name)
  expect(await migrateBehindSnapshot(locking, /^9001-column.sql gave way to /, traffic.goesOn)).toEqual(lockingNames)
  expect(await migrateBehindSnapshot(migrations, /^9004-index.sql waits for /, traffic.goesOn)).toEqual([
    '9004-index.sql',
  ])
  await traffic.goesOn()
  const taken = await traffic.stop()

  expect(taken.filter(({ status }) => status !== 200)).toEqual([])
  expect(Math.max(...taken.map(({ ms }) => ms))).toBeLessThan(waitMsMax)
  const found = await asOwner(
    service.database,
    `select convalidated as validated, indisvalid as indexed, attnotnull as filled,
            (select count(*) from payment where note = '')::int as payments
       from pg_constraint, pg_index, pg_attribute
      where conname = 'payment_note' and indexrelid = 'payment_noted'::regclass
        and attrelid = 'payment'::regclass and attname = 'note'`,
  )
  expect(found).toEqual([{ validated: true, indexed: true, filled: true, payments: taken.length }])
})

it('does so with files that keep the rules', () => {
  const tree = sampleTree(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`db/migrations/${name}`, text])),
  )
  expect(migrationsLetTheServiceWork(tree)).toEqual([])
})
