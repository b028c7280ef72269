// Searches every column of every row for texts that must be gone, or must still be there.

import { asOwner } from '#tests/support/owner.ts'

type Database = { ownerUrl: string }

/** The tables that contain one of these texts, in any case, each with the text. */
export async function whereFound(database: Database, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const { table, row } of await allRows(database)) {
    found.push(
      ...texts.filter((text) => row.toLowerCase().includes(text.toLowerCase())).map((text) => `${table}: ${text}`),
    )
  }
  return [...new Set(found)].toSorted()
}

/** Every row that contains one of these texts exactly. */
export async function rowsWith(database: Database, texts: readonly string[]): Promise<string[]> {
  const rows = await allRows(database)
  return rows
    .filter(({ row }) => texts.some((text) => row.includes(text)))
    .map(({ table, row }) => `${table} ${row}`)
    .toSorted()
}

async function allRows(database: Database): Promise<{ table: string; row: string }[]> {
  const tables = await asOwner<{ name: string }>(
    database,
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  )
  const each = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await asOwner<{ row: string }>(database, `select r::text as row from "${name}" as r`)
      return rows.map(({ row }) => ({ table: name, row }))
    }),
  )
  return each.flat()
}
