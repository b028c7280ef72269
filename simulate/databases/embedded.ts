// The database of a world on the PostgreSQL that comes with Manilla, in a folder of its own, with fsync on.

import { mkdtemp, open, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { openEmbeddedPostgres, type EmbeddedPostgres } from '#postgres/embedded/open.ts'
import { roles, type RolePasswords } from '#postgres/embedded/initialize.ts'
import { migrate } from '#postgres/migrations/migrate.ts'
import { killPostmaster } from '#tests/postgres/embedded/support.ts'
import { templateName, withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'
import { launchPgBouncer } from '#tests/support/pgbouncer.ts'
import { beginRun } from '#tests/support/run.ts'
import { hangMs } from '#simulate/clocks.ts'
import { entriesOf, type Cluster } from './database.ts'
import { createOwner } from './owner.ts'

/** The embedded PostgreSQL allows a hundred connections. Ten are left for the owner. */
const poolerSessionsMax = 90

export async function startEmbedded(): Promise<Cluster> {
  const run = await beginRun()
  const dataDir = path.join(run.folder, 'data')
  const postgres = await openEmbeddedPostgres({ dataDir, use: 'serve' })
  const log = path.join(dataDir, 'postgres', 'server.log')
  await logStatements(dataDir, postgres)
  await asOwner(postgres, `create database ${templateName}`)
  await migrate(withDatabase(postgres.ownerUrl, templateName))
  return {
    async create(name) {
      await asOwner(postgres, `create database ${name} template ${templateName}`)
      const from = (await stat(log)).size
      return {
        ask: createOwner(withDatabase(postgres.ownerUrl, name)),
        serviceUrls: [withDatabase(postgres.serviceUrl, name)],
        startPooler: async () =>
          launchPgBouncer({
            url: withDatabase(postgres.serviceUrl, name),
            folder: await mkdtemp(path.join(run.folder, 'pooler-')),
            runFolder: run.folder,
            mode: 'session',
            poolSize: poolerSessionsMax,
          }),
        newFolder: () => mkdtemp(path.join(run.folder, 'wire-')),
        deaths: { times: 1, awayMsMax: hangMs, kill: async () => `process ${await killPostmaster(dataDir)}` },
        logged: async (pattern) => entriesOf(await readFrom(log, from), pattern),
        drop: async () =>
          void (await asOwner(postgres, `drop database if exists ${name} with (force)`).catch(() => [])),
      }
    },
    async stop() {
      await postgres.release()
      await run.end()
    },
  }
}

/** Logs the statements of a deadlock. The service forbids that, because statements hold personal data; a world has none. */
async function logStatements(dataDir: string, { ownerUrl }: EmbeddedPostgres): Promise<void> {
  const passwords = JSON.parse(
    await readFile(path.join(dataDir, 'postgres', 'passwords.json'), 'utf8'),
  ) as RolePasswords
  const nameAs = (role: keyof RolePasswords): string => `${roles[role]}:${passwords[role]}`
  const administrator = { ownerUrl: ownerUrl.replace(nameAs('owner'), nameAs('admin')) }
  await asOwner(administrator, 'alter system set log_error_verbosity = default')
  await asOwner(administrator, 'alter system set log_min_error_statement = error')
  await asOwner(administrator, 'select pg_reload_conf()')
}

/** Reads the log from an offset. If PostgreSQL has started a new, shorter file since, reads all of it. */
async function readFrom(file: string, from: number): Promise<string> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const start = from <= size ? from : 0
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
