// Migrations of a database whose tables already lie on several machines.

import { expect, inject, it, onTestFinished } from 'vitest'
import { readMigrations } from '#postgres/migrations/files.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { citusUrl, makeEmptyOnCitus } from '#tests/support/citus.ts'
import { createTestDatabase, dropDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const lastOfRelease = '0013-recipients.sql'

const places = `select logicalrelid::text as name, partmethod, repmodel from pg_dist_partition order by name`

it.runIf(citusUrl !== undefined)('every migration since release 0.2.0 applies to distributed tables', async () => {
  const name = 'migrated_on_citus'
  const ownerUrl = await makeEmptyOnCitus(inject('ownerUrl'), name)
  onTestFinished(() => dropDatabase(name))
  const all = await readMigrations()
  const old = all.filter((migration) => migration.name <= lastOfRelease)
  await migrate(ownerUrl, () => undefined, old)

  expect(await migrate(ownerUrl)).toEqual(all.slice(old.length).map((migration) => migration.name))

  const fresh = await createTestDatabase()
  onTestFinished(() => fresh.drop())
  expect(await asOwner({ ownerUrl }, places)).toEqual(await asOwner(fresh, places))
})
