import { migrate } from '#postgres/migrations/migrate.ts'
import { countMigrations, openDatabase, requireSameDatabase } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function migrateCommand(output: Output): Promise<void> {
  const onStep = (message: string): void => output.step(message)
  const database = await openDatabase(readConfig(), { use: 'command', onStep })
  const applied = [...database.migrated]
  try {
    await requireSameDatabase(database)
    applied.push(...(await migrate(database.ownerUrl, countMigrations(onStep))))
  } finally {
    await database.release()
  }
  const text = applied.length === 0 ? 'The database is up to date.' : `Applied ${migrations(applied.length)}.`
  output.result({ applied }, text)
}

const migrations = (count: number): string => (count === 1 ? '1 migration' : `${count} migrations`)
