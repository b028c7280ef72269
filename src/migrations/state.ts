// Is the database at the version of this code? Asked at start and by GET /ready.

import { statement, type Queryable } from '#base/db.ts'
import { OperatorError } from '#base/error.ts'
import { readMigrations } from './migrate.ts'

const appliedNames = statement('migrations.applied', 'select name from migration order by name')

/** The names of migrations that this code needs and the database lacks. */
export async function missingMigrations(db: Queryable): Promise<string[]> {
  const needed = await readMigrations()
  const applied = new Set((await db.query<{ name: string }>(appliedNames)).map((row) => row.name))
  return needed.map((migration) => migration.name).filter((name) => !applied.has(name))
}

/** Refuses to work on a database of another version. */
export async function requireMigrations(db: Queryable): Promise<void> {
  const missing = await missingMigrations(db)
  if (missing.length > 0) {
    throw new OperatorError(`The database lacks ${missing.join(', ')}. Run: npx manilla migrate (or serve --migrate).`)
  }
}
