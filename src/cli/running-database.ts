// The database of `manilla listen`, which stays while servers come and go: it neither starts the embedded PostgreSQL nor
// keeps it from stopping. So it takes no seat there, as other commands do: it looks whether one runs, connects, and is
// cut off when the server stops.

import { stat } from 'node:fs/promises'
import path from 'node:path'
import { systemClock } from '#base/clock.ts'
import type { Context } from '#base/context.ts'
import { createDb } from '#base/db.ts'
import { Unavailable } from '#base/error.ts'
import { createLog } from '#base/log.ts'
import { createMetrics } from '#base/metrics.ts'
import { findPooler, poolerRefusal } from '#base/pooler.ts'
import type { Config } from '#config.ts'
import { prepareCluster, type Cluster } from '#embedded/cluster.ts'
import { explainFolderError, ignoring } from '#embedded/folder.ts'
import { readPasswords, urlOf } from '#embedded/passwords.ts'
import { findPostmaster } from '#embedded/postmaster.ts'
import { missingMigrations } from '#migrations/state.ts'
import { serviceRole } from '#migrations/migrate.ts'
import { atTerminal } from './at-terminal.ts'

/** `reason`: why there is nothing to connect to now. The caller asks again later. */
export type Connected = { ctx: Context } | { ctx: undefined; reason: string }

export type RunningDatabase = { connect(): Promise<Connected> }

export function createRunningDatabase(config: Config): RunningDatabase {
  const findEmbedded = createFinder(config)
  return {
    async connect() {
      const url = config.databaseUrl ?? (await findEmbedded())
      if (url === undefined)
        return { ctx: undefined, reason: `No server runs on DATA_DIR ${config.dataDir} (npm start).` }
      // It waits for a database that does not answer; through one that shares sessions it would never be right to read.
      const pooler = config.databaseUrl === undefined ? undefined : await findPooler(url).catch(() => undefined)
      if (pooler?.kind === 'shared') throw poolerRefusal(pooler)
      return await keepIfCurrent(openContext(url))
    },
  }
}

/** Whether a database is there already, so that a server may be working on it. */
export async function databaseMayRun(config: Config): Promise<boolean> {
  return config.databaseUrl !== undefined || (await createFinder(config)()) !== undefined
}

/** Asks for the address of the embedded PostgreSQL. Undefined: it does not run. */
function createFinder({ dataDir }: Config): () => Promise<string | undefined> {
  const pidFile = path.join(dataDir, 'postgres', 'data', 'postmaster.pid')
  let cluster: Cluster | undefined

  async function find(): Promise<string | undefined> {
    if ((await stat(pidFile).catch(ignoring('ENOENT', 'ENOTDIR'))) === undefined) return undefined
    cluster ??= await prepareCluster({ dataDir, durable: true, onStep: () => undefined })
    const running = await findPostmaster(cluster)
    if (running?.state !== 'ready') return undefined
    return urlOf('service', await readPasswords(cluster), running.socketFolder)
  }
  return () =>
    find().catch((error: unknown) => {
      throw explainFolderError(dataDir, error)
    })
}

/** The command itself tells the operator what happens to the database, so nothing is logged. */
function openContext(url: string): Context {
  const log = createLog({ level: 'silent', format: 'json', write: () => undefined })
  const metrics = createMetrics()
  return {
    db: createDb({ url, role: serviceRole, log, metrics, poolSizeMax: 1 }),
    log,
    metrics,
    clock: systemClock,
    by: atTerminal(),
  }
}

async function keepIfCurrent(ctx: Context): Promise<Connected> {
  let reason = ''
  try {
    const missing = await missingMigrations(ctx.db)
    if (missing.length === 0) return { ctx }
    reason = `The database lacks ${missing.join(', ')}. Run: npx manilla migrate.`
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    reason = `${error.message}${error.cause instanceof Error ? ` It said: ${error.cause.message}.` : ''}`
  }
  await ctx.db.close()
  return { ctx: undefined, reason }
}
