// Distributes tables over the machines of Citus (docs/adr/0031-lanes-over-machines.md). All rows of a tenant are on the
// machine of its lane. Tables that every lane reads are copied to every machine, because they rarely change. Other
// tables stay at the coordinator. `manilla migrate` calls it after the migrations (migrate.ts).

import type pg from 'pg'
import { present } from '#platform/assert.ts'
import { laneTable } from '#platform/db/distributed.ts'
import { serviceRole } from './state.ts'

/** The order matters, because later tables refer to earlier ones. */
const everywhere = [
  'business',
  'tenant',
  'api_key',
  'api_key_revocation',
  'brake',
  'provider_account',
  'inbound_notice',
]

/**
 * Tables that are written together with the rows of a lane but are not looked up by lane. Citus must know them, to
 * commit both or neither.
 */
const here = [
  'audit_entry',
  'audit_lock',
  'review_item',
  'float_movement',
  'provider_notice',
  'rail_break',
  'virtual_account_number',
]

export async function hasCitus(session: pg.Client): Promise<boolean> {
  const found = await session.query(`select 1 from pg_extension where extname = 'citus'`)
  return found.rows.length > 0
}

export async function distributeTables(session: pg.Client, onStep: (message: string) => void): Promise<void> {
  // One machine after the other, because the distributed tables refer to tables that this transaction copies.
  await session.query(`set local citus.multi_shard_modify_mode = 'sequential'`)

  async function place(table: Table, where: Distribution): Promise<void> {
    if (table.place === where) return
    onStep(`moving ${table.name}`)
    await session.query(movingTo[where], [table.name])
  }

  // Citus does not distribute a table while a foreign key from an undistributed one refers to it.
  const links = await linksToDistribute(session)
  for (const { from, name } of links) await session.query(`alter table ${from} drop constraint ${name}`)
  if (!(await tablesOf(session)).some(({ name }) => name === laneTable)) await makeLanes(session)
  const tables = new Map((await tablesOf(session)).map((table) => [table.name, table]))
  for (const name of everywhere) await place(present(tables.get(name), name), 'everywhere')
  // Read again: Citus now also lists tables that refer to a copied one, although they are not distributed yet.
  for (const table of await tablesOf(session)) {
    if (everywhere.includes(table.name)) continue
    if (table.isOfLane) await place(table, 'lane')
    else if (here.includes(table.name)) await place(table, 'here')
  }
  for (const { from, name, definition } of links)
    await session.query(`alter table ${from} add constraint ${name} ${definition}`)
}

/** The foreign keys between rows of one lane, of tables that are not distributed yet. */
async function linksToDistribute(session: pg.Client): Promise<{ from: string; name: string; definition: string }[]> {
  const { rows } = await session.query<{ from: string; name: string; definition: string }>(
    `select conrelid::regclass::text as "from", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint f
      where contype = 'f' and connamespace = 'public'::regnamespace and cardinality(conkey) > 2
        and not exists (select 1 from pg_dist_partition p where p.logicalrelid = f.conrelid and p.partmethod = 'h')
      order by 1, 2`,
  )
  return rows
}

type Distribution = 'lane' | 'everywhere' | 'here'

const movingTo: Record<Distribution, string> = {
  lane: `select create_distributed_table($1::regclass, 'lane', colocate_with => '${laneTable}')`,
  everywhere: 'select create_reference_table($1::regclass)',
  here: 'select citus_add_local_table_to_metadata($1::regclass)',
}

/** `place` is null if Citus does not know the table. `isOfLane`: the primary key begins with the column `lane`. */
type Table = { name: string; place: Distribution | null; isOfLane: boolean }

async function tablesOf(session: pg.Client): Promise<Table[]> {
  const { rows } = await session.query<Table>(
    `select c.relname as name, coalesce(a.attname = 'lane', false) as "isOfLane",
            case when p.partmethod = 'h' then 'lane' when p.repmodel = 't' then 'everywhere' when p.partmethod = 'n' then 'here'
            end as place
       from pg_class c
       left join pg_dist_partition p on p.logicalrelid = c.oid
       left join pg_index i on i.indrelid = c.oid and i.indisprimary
       left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migration'
      order by c.relname`,
  )
  return rows
}

/** Every value of the column type gets a row, because a lane without one could not be written to. */
async function makeLanes(session: pg.Client): Promise<void> {
  await session.query(`create table ${laneTable} (lane smallint primary key)`)
  await session.query(`select create_distributed_table('${laneTable}', 'lane', colocate_with => 'none')`)
  await session.query(`insert into ${laneTable} select generate_series(1, 32767)`)
  await session.query(`grant select on ${laneTable} to ${serviceRole}`)
}

/** What remains to do after the tables are distributed. Its statements lock tables exclusively. */
type Leftover = { what: string; statements: string[] }

export async function findLeftovers(session: pg.Client): Promise<Leftover[]> {
  const hidden = await session.query(withHiddenCopy)
  const { rows } = await session.query<{ name: string }>(withoutIdentity)
  const leftovers = [
    {
      what: 'removing the rows that Citus has copied from the coordinator',
      statements: hidden.rows.length === 0 ? [] : [removeHiddenCopies],
    },
    {
      what: 'preparing tables for further workers',
      statements: rows.map(({ name }) => `alter table ${name} replica identity full`),
    },
  ]
  return leftovers.filter(({ statements }) => statements.length > 0)
}

/**
 * When Citus distributes a table that has rows, it hides them at the coordinator and does not delete them. Erasure and
 * retention do not reach hidden rows, so personal data would stay there for ever.
 */
const withHiddenCopy = `
  select logicalrelid::text as name from pg_dist_partition
   where (partmethod = 'h' or repmodel = 't') and pg_relation_size(logicalrelid) > 0`

// Removes all or none, because each call also empties what refers to the table at the coordinator. Citus refuses the
// call if a table that is not its own refers to it.
const removeHiddenCopies = `
  select truncate_local_data_after_distributing_table(logicalrelid) from pg_dist_partition
   where partmethod = 'h' or repmodel = 't'`

/** Without a primary key or an identity, Citus copies a table to a new worker only while nothing may be written. */
const withoutIdentity = `
  select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
   where (p.partmethod = 'h' or p.repmodel = 't') and c.relreplident = 'd'
     and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`
