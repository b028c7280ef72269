// What only the owner of a database may do: tamper, look behind the scenes, make a table for one test.

import pg from 'pg'

export async function asOwner<R = Record<string, unknown>>(
  database: { ownerUrl: string },
  sql: string,
  values: unknown[] = [],
): Promise<R[]> {
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  try {
    // Several statements at once give a list of results, of which nobody asks for the rows.
    const { rows } = await owner.query<Record<string, unknown>>(sql, values.length === 0 ? undefined : values)
    return rows as R[]
  } finally {
    await owner.end()
  }
}
