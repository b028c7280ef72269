// On Citus each statement runs as a whole on the one machine of its lane, or stands in elsewhere.ts with the reason.
// Any other statement would wait for several machines, send rows back and forth, or be refused.

import { glob } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { distributedText } from '#platform/db/distributed.ts'
import { statementTexts } from '#platform/db/statement.ts'
import { citusUrl } from '#tests/support/citus.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { inSteps, ofNoLane } from './elsewhere.ts'

if (citusUrl === undefined) {
  process.stderr.write('There is no CITUS_DATABASE_URL: the tests on Citus are skipped.\n')
}

/** A value for each type of a parameter; PostgreSQL reads the text of a few when it plans. */
const samples: Record<string, string> = {
  uuid: '01900000-0000-7000-8000-000000000000',
  text: 'UTC',
  bigint: '1',
  smallint: '1',
  integer: '1',
  boolean: 'true',
  'timestamp with time zone': '2026-01-01',
  bytea: '\\x00',
  cidr: '10.0.0.0/8',
  date: '2026-01-01',
  jsonb: '[]',
  numeric: '1',
  tid: '(0,1)',
}

/** Other statements begin, end or set up a transaction. */
const readsOrWrites = /^\s*(with|select|insert|update|delete)\b/

const sampleTexts: Record<string, Record<number, string>> = { 'figures.series': { 6: 'day' } }

it.runIf(citusUrl !== undefined)(
  'every statement goes to the one machine of its lane, but for those that are named',
  async () => {
    const database = await useTestDatabase()
    const client = new pg.Client({ connectionString: database.ownerUrl })
    await client.connect()
    await importAll()
    const found = new Map<string, string>()
    for (const [name, text] of statementTexts()) {
      if (name.startsWith('test.') || !readsOrWrites.test(text)) continue
      const way = await wayOf(client, name, text).catch((error: unknown) => String(error))
      if (way !== 'one machine') found.set(name, way)
    }
    await client.end()
    const named = [...inSteps, ...ofNoLane].flatMap(({ names }) => names)
    const refused = [...found].filter(([, way]) => way.includes('rror'))
    expect(Object.fromEntries(refused)).toEqual({})
    expect(Object.fromEntries([...found].filter(([name]) => !named.includes(name)))).toEqual({})
    expect(named.filter((name) => !found.has(name))).toEqual([])
  },
)

async function importAll(): Promise<void> {
  const root = path.join(import.meta.dirname, '../..')
  for await (const file of glob('src/*/**/*.ts', { cwd: root, exclude: ['src/bin/**'] })) {
    await import(path.join(root, file))
  }
}

/** How Citus runs the statement, from its plan. */
async function wayOf(client: pg.Client, name: string, text: string): Promise<string> {
  await client.query(`prepare asked as ${distributedText(text)}`)
  try {
    const types = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'asked'`,
    )
    const values = present(types.rows[0], 'what was prepared').types.map((type, index) =>
      sampleOf(type, sampleTexts[name]?.[index + 1]),
    )
    const given = values.length === 0 ? '' : `(${values.join(', ')})`
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
      `explain (format json, costs off) execute asked${given}`,
    )
    return judged(JSON.stringify(rows[0]?.['QUERY PLAN']))
  } finally {
    await client.query('deallocate asked')
  }
}

function sampleOf(type: string, text?: string): string {
  const isArray = type.endsWith('[]')
  const sample = text ?? present(samples[isArray ? type.slice(0, -2) : type], `a sample of ${type}`)
  return isArray ? `array['${sample}']::${type}` : `'${sample}'`
}

function judged(plan: string): string {
  const tasks = [...plan.matchAll(/"Task Count":(\d+)/g)].map(([, count]) => Number(count))
  const method = /"INSERT\/SELECT method":"([^"]+)"/.exec(plan)?.[1]
  if (method !== undefined) return method
  if (tasks.length === 0) return 'no table of Citus'
  return tasks.length === 1 && tasks[0] === 1 ? 'one machine' : `steps of ${tasks.join(', ')} tasks`
}
