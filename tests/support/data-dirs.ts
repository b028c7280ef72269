// A run makes each kind of DATA_DIR once, when a test first asks for it, and gives each test a copy, because
// initialising PostgreSQL and migrating its database costs two seconds of a processor.

import { execFile } from 'node:child_process'
import { access, rename } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { ignoreErrors } from '#postgres/embedded/folders.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { newFolder } from './run.ts'

/** `initialized`: PostgreSQL is set up and empty. `migrated`: its database has all tables, which are empty. */
export type DataDirState = 'initialized' | 'migrated'

export async function copyDataDir(state: DataDirState, to: string): Promise<void> {
  await copy(await madeOnce(state), to)
}

/** If two processes make it at once, the slower one takes the result of the faster one. */
async function madeOnce(state: DataDirState): Promise<string> {
  const shared = path.join(inject('runFolder'), state)
  if ((await access(shared).then(() => true, ignoreErrors('ENOENT'))) === true) return shared
  const made = path.join(await newFolder(state), 'data')
  if (state === 'migrated') await copy(await madeOnce('initialized'), made)
  const postgres = await openEmbeddedPostgres({ dataDir: made, use: 'command', durable: false })
  if (state === 'migrated') await migrate(postgres.ownerUrl)
  await postgres.release()
  await rename(made, shared).catch(ignoreErrors('ENOTEMPTY'))
  return shared
}

async function copy(from: string, to: string): Promise<void> {
  // Node's own copy would give root's copies to root.
  await promisify(execFile)('cp', ['-Rp', from, to])
}
