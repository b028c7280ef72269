// Migrations of a database whose tables already lie on several machines.

import { expect, inject, it, onTestFinished } from 'vitest'
import { readMigrations } from '#postgres/migrations/files.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { addCitus, citusUrl, makeEmptyOnCitus, makePlainOnCitus } from '#tests/support/citus.ts'
import { createTestDatabase, dropDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const lastOfRelease = '0013-recipients.sql'

const rowsOfBusiness = `
  insert into business (id, name, created_at) values ('01900000-0000-7000-8000-000000000000', 'Shop', now());
  insert into tenant (id, business_id, environment, lane, created_at)
    values ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000000', 'staging', 1, now());
  insert into customer (lane, tenant_id, reference, id, ordinal, first_name, last_name, status, created_at, updated_at)
    values (1, '01900000-0000-7000-8000-000000000001', 'CUSTOMER-1', '01900000-0000-7000-8000-000000000002', 1, 'Ada', 'Obi',
            'ACTIVE', now(), now())`

const counted = `
  select (select count(*) from business) as businesses, (select count(*) from tenant) as tenants,
         (select count(*) from customer) as customers, (select count(*) from installation) as installations`

/** Citus itself never writes rows of a distributed table into the table of that name at the coordinator. */
const hidden = `
  select logicalrelid::text as name from pg_dist_partition
   where (partmethod = 'h' or repmodel = 't') and pg_relation_size(logicalrelid) > 0`

/** Citus copies a table without an identity to a new worker only while nothing may be written. */
const withoutIdentity = `
  select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
   where (p.partmethod = 'h' or p.repmodel = 't') and c.relreplident = 'd'
     and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`

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
  expect(await asOwner(fresh, withoutIdentity)).toEqual([])
})

it.runIf(citusUrl !== undefined)('a database from before Citus keeps its rows, once', async () => {
  const [name, url] = ['used_before_citus', inject('ownerUrl')]
  const ownerUrl = await makePlainOnCitus(url, name)
  onTestFinished(() => dropDatabase(name))
  await migrate(ownerUrl)
  await asOwner({ ownerUrl }, rowsOfBusiness)
  const before = await asOwner({ ownerUrl }, counted)
  await addCitus(url, name)

  await migrate(ownerUrl)

  expect(await asOwner({ ownerUrl }, counted)).toEqual(before)
  // Personal data in hidden rows could not be erased.
  expect(await asOwner({ ownerUrl }, hidden)).toEqual([])
})
