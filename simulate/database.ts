// One real PostgreSQL for all worlds of a run, durable, in a folder of its own; and a database for each world.

import { mkdtemp, open, stat } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { openEmbeddedPostgres } from '#embedded/open.ts'
import { migrate } from '#migrations/migrate.ts'
import { killPostmaster } from '#tests/embedded/support.ts'
import { templateName, withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'
import { launchPgBouncer, type PgBouncer } from '#tests/support/pgbouncer.ts'
import { beginRun } from '#tests/support/run.ts'

export type WorldDatabase = {
  serviceUrl: string
  /** As its owner, who sees everything; on one connection, which is opened anew when it was lost. */
  ask<R>(sql: string, values?: unknown[]): Promise<R[]>
  /** The same address through a PgBouncer of its own, in session mode. */
  startPooler(): Promise<PgBouncer>
  /** For the wire of an instance. */
  newFolder(): Promise<string>
  kill(): Promise<void>
  /** What its server logged of this kind since it was made. Statistics would be lost with a crash, the log is not. */
  logged(pattern: RegExp): Promise<string[]>
  drop(): Promise<void>
}

export type Cluster = { create(name: string): Promise<WorldDatabase>; stop(): Promise<void> }

/** Of the hundred that the embedded PostgreSQL allows, which leaves some for the owner. */
const poolerSessionsMax = 90

export async function startCluster(): Promise<Cluster> {
  const run = await beginRun()
  const dataDir = path.join(run.folder, 'data')
  const postgres = await openEmbeddedPostgres({ dataDir, use: 'serve' })
  const log = path.join(dataDir, 'postgres', 'server.log')
  await asOwner(postgres, `create database ${templateName}`)
  await migrate(withDatabase(postgres.ownerUrl, templateName))
  return {
    async create(name) {
      await asOwner(postgres, `create database ${name} template ${templateName}`)
      const from = (await stat(log)).size
      const owner = createOwner(withDatabase(postgres.ownerUrl, name))
      return {
        ask: owner.ask,
        serviceUrl: withDatabase(postgres.serviceUrl, name),
        startPooler: async () =>
          launchPgBouncer({
            url: withDatabase(postgres.serviceUrl, name),
            folder: await mkdtemp(path.join(run.folder, 'pooler-')),
            runFolder: run.folder,
            mode: 'session',
            poolSize: poolerSessionsMax,
          }),
        newFolder: () => mkdtemp(path.join(run.folder, 'wire-')),
        kill: async () => void (await killPostmaster(dataDir)),
        logged: async (pattern) => (await readFrom(log, from)).split('\n').filter((line) => pattern.test(line)),
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

function createOwner(connectionString: string): { ask: WorldDatabase['ask']; close(): Promise<void> } {
  let current: Promise<pg.Client> | undefined
  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString })
    client.on('error', () => (current = undefined))
    await client.connect()
    return client
  }
  return {
    async ask<R>(sql: string, values: unknown[] = []) {
      current ??= connect()
      current.catch(() => (current = undefined))
      const { rows } = await (await current).query<Record<string, unknown>>(sql, values)
      return rows as R[]
    },
    async close() {
      const client = await current?.catch(() => undefined)
      await client?.end()
    },
  }
}

/** The log is cut when it grows too long; then all of it counts. */
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
