// Writes db/schema.sql: the schema after all migrations, read from the catalog of a database. People read schema.sql to learn
// the schema and to review a migration. Nothing executes it.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { migrate, serviceRole } from '#postgres/migrations/migrate.ts'

const introduction = `-- Generated from db/migrations by \`npm run generate\`. Do not edit; nothing executes it.
-- Every table, what refuses nonsense in it, and what the service's own role may do. The reasons stand in the migrations.
`

export async function schemaDump(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'manilla-schema-'))
  try {
    const postgres = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
    const client = new pg.Client({ connectionString: postgres.ownerUrl })
    try {
      await migrate(postgres.ownerUrl)
      await client.connect()
      return await dump(client)
    } finally {
      await client.end()
      await postgres.release()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Table = { oid: number; name: string; options: string[] | null }

async function dump(client: pg.Client): Promise<string> {
  await refuseUnsupportedObjects(client)
  const tables = await rowsOf<Table>(
    client,
    `select oid, relname as name, reloptions as options from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname collate "C"`,
  )
  const parts = [introduction]
  for (const table of tables) parts.push(await dumpTable(client, table))
  return parts.join('\n')
}

async function dumpTable(client: pg.Client, table: Table): Promise<string> {
  const lines = [...(await columnsOf(client, table)), ...(await constraintsOf(client, table))]
  const options = table.options === null ? '' : ` with (${table.options.join(', ')})`
  const statements = [
    `create table ${table.name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${options}`,
    ...(await indexesOf(client, table)),
    ...(await grantsOf(client, table)),
  ]
  return statements.map((statement) => `${statement};\n`).join('')
}

async function columnsOf(client: pg.Client, table: Table): Promise<string[]> {
  const columns = await rowsOf<{ name: string; type: string; required: boolean; fallback: string | null }>(
    client,
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
            pg_get_expr(d.adbin, d.adrelid, true) as fallback
       from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table.oid],
  )
  return columns.map(({ name, type, required, fallback }) => {
    const value = fallback === null ? '' : ` default ${fallback}`
    return `${name} ${type}${required ? ' not null' : ''}${value}`
  })
}

/** Returns keys first, then foreign keys, then checks. NOT NULL is written with its column. */
async function constraintsOf(client: pg.Client, table: Table): Promise<string[]> {
  const constraints = await rowsOf<{ name: string; definition: string }>(
    client,
    `select conname as name, pg_get_constraintdef(oid, true) as definition from pg_constraint
      where conrelid = $1 and contype <> 'n'
      order by array_position('{p,u,f,c}'::"char"[], contype), conname collate "C"`,
    [table.oid],
  )
  return constraints.map(({ name, definition }) => `constraint ${name} ${definition}`)
}

async function indexesOf(client: pg.Client, table: Table): Promise<string[]> {
  const indexes = await rowsOf<{ definition: string }>(
    client,
    `select pg_get_indexdef(i.indexrelid, 0, true) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = $1 and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
      order by c.relname collate "C"`,
    [table.oid],
  )
  return indexes.map(({ definition }) => definition)
}

async function grantsOf(client: pg.Client, table: Table): Promise<string[]> {
  const whole = await rowsOf<{ privilege: string }>(
    client,
    `select lower(x.privilege_type) as privilege from pg_class c, aclexplode(c.relacl) x
      where c.oid = $1 and x.grantee = $2::regrole order by 1`,
    [table.oid, serviceRole],
  )
  const byColumn = await rowsOf<{ privilege: string; columns: string }>(
    client,
    `select lower(x.privilege_type) as privilege, string_agg(a.attname, ', ' order by a.attnum) as columns
       from pg_attribute a, aclexplode(a.attacl) x
      where a.attrelid = $1 and x.grantee = $2::regrole group by 1 order by 1`,
    [table.oid, serviceRole],
  )
  const rights = [
    ...whole.map(({ privilege }) => privilege),
    ...byColumn.map(({ privilege, columns }) => `${privilege} (${columns})`),
  ]
  return rights.length === 0 ? [] : [`grant ${rights.join(', ')} on ${table.name} to ${serviceRole}`]
}

/** Refuses a view, function, trigger, sequence or type of our own, because the dump would leave it out silently. */
async function refuseUnsupportedObjects(client: pg.Client): Promise<void> {
  const unknown = await rowsOf<{ what: string }>(
    client,
    `select 'relation ' || relname as what from pg_class
      where relnamespace = 'public'::regnamespace and relkind not in ('r', 'i', 't')
     union all select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace
     union all select 'trigger ' || tgname from pg_trigger where not tgisinternal
     union all select 'type ' || typname from pg_type where typnamespace = 'public'::regnamespace and typtype in ('d', 'e', 'r')
     union all select 'generated column ' || attname from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and (a.attidentity <> '' or a.attgenerated <> '')`,
  )
  if (unknown.length === 0) return
  throw new Error(`scripts/schema-dump.ts does not know how to show: ${unknown.map(({ what }) => what).join(', ')}`)
}

async function rowsOf<R extends object>(client: pg.Client, text: string, values: unknown[] = []): Promise<R[]> {
  return (await client.query<R>(text, values)).rows
}
