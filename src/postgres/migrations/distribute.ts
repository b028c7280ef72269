// On a PostgreSQL with Citus: which machine has which rows (docs/adr/0031-lanes-over-machines.md). A tenant's rows lie where
// its lane is, those of all its tables together. What each lane reads beside them is copied to every machine, as it changes
// rarely. Whatever else there is stays at the coordinator.

import type pg from 'pg'
import { present } from '#platform/assert.ts'
import { laneTable } from '#platform/db/distributed.ts'
import { serviceRole } from './prepare.ts'

/** In this order: the later ones refer to the earlier. */
const everywhere = [
  'business',
  'tenant',
  'api_key',
  'api_key_revocation',
  'brake',
  'provider_account',
  'inbound_notice',
]

/** What is written together with a lane's rows and is found without one. Citus must know it, to commit both or neither. */
const here = [
  'audit_entry',
  'audit_head',
  'exception',
  'float_movement',
  'provider_notice',
  'rail_break',
  'virtual_account_number',
]

export async function hasCitus(session: pg.Client): Promise<boolean> {
  const found = await session.query(`select 1 from pg_extension where extname = 'citus'`)
  return found.rows.length > 0
}

/** Within a transaction of its caller. Nothing happens to a table that has found its place. */
export async function distribute(session: pg.Client, onStep: (message: string) => void): Promise<void> {
  // One machine after the other, as what is spread in this transaction refers to what is copied in it.
  await session.query(`set local citus.multi_shard_modify_mode = 'sequential'`)

  async function place(table: Table, where: Place): Promise<void> {
    if (table.place === where) return
    onStep(`moving ${table.name}`)
    await session.query(movingTo[where], [table.name])
  }

  if (!(await tablesOf(session)).some(({ name }) => name === laneTable)) await makeLanes(session)
  const tables = new Map((await tablesOf(session)).map((table) => [table.name, table]))
  for (const name of everywhere) await place(present(tables.get(name), name), 'everywhere')
  // What refers to a copied table has been told to Citus by now, and is told apart from what has found its place.
  for (const table of await tablesOf(session)) {
    if (everywhere.includes(table.name)) continue
    if (table.isOfLane) await place(table, 'lane')
    else if (here.includes(table.name)) await place(table, 'here')
  }
}

type Place = 'lane' | 'everywhere' | 'here'

const movingTo: Record<Place, string> = {
  lane: `select create_distributed_table($1::regclass, 'lane', colocate_with => '${laneTable}')`,
  everywhere: 'select create_reference_table($1::regclass)',
  here: 'select citus_add_local_table_to_metadata($1::regclass)',
}

/** Null: Citus does not know of it. It is of a lane when its primary key begins with one. */
type Table = { name: string; place: Place | null; isOfLane: boolean }

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

/** All numbers that the type of the column has: one that were missing would be a lane that nothing could be written to. */
async function makeLanes(session: pg.Client): Promise<void> {
  await session.query(`create table ${laneTable} (lane smallint primary key)`)
  await session.query(`select create_distributed_table('${laneTable}', 'lane', colocate_with => 'none')`)
  await session.query(`insert into ${laneTable} select generate_series(1, 32767)`)
  await session.query(`grant select on ${laneTable} to ${serviceRole}`)
}
