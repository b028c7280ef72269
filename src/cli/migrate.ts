import { migrate } from '#postgres/migrations/migrate.ts'
import { openDatabase, requireSameDatabase } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function migrateCommand(output: Output): Promise<void> {
  const applied: string[] = []
  const onStep = (message: string): void => output.step(message)
  // The embedded database is migrated as it is opened; asking again costs nothing and tells both cases apart.
  const database = await openDatabase(readConfig(), {
    use: 'command',
    onStep: (message) => {
      const name = /^migrating (.+)$/.exec(message)?.[1]
      if (name !== undefined) applied.push(name)
      onStep(message)
    },
  })
  try {
    await requireSameDatabase(database)
    applied.push(...(await migrate(database.ownerUrl, onStep)))
  } finally {
    await database.release()
  }
  const text = applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`
  output.result({ applied }, text)
}
