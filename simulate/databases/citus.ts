// Lanes over the workers of a Citus that somebody else looks after. One worker dies, by a program of theirs, and comes back.

import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { serviceRole } from '#migrations/migrate.ts'
import { citusUrl, makeCitusTemplate, onEveryNode } from '#tests/support/citus.ts'
import { templateName, withDatabase } from '#tests/support/global-setup.ts'
import { beginRun } from '#tests/support/run.ts'
import type { Cluster, WorldDatabase } from './database.ts'
import { createOwner } from './owner.ts'

/** Called with the host and the port of a worker: kills its PostgreSQL with signal 9, and starts it again after some seconds. */
export const killer = process.env['CITUS_KILL_WORKER']

const times = 5
const awayMsMax = 60_000

export async function startCitus(): Promise<Cluster> {
  const url = citusUrl
  if (url === undefined) throw new Error('there is no CITUS_DATABASE_URL')
  const run = await beginRun()
  await makeCitusTemplate(url, templateName)
  return {
    async create(name) {
      await onEveryNode(url, [
        // A run that broke off left it.
        `drop database if exists ${name} with (force)`,
        `create database ${name} template ${templateName}`,
        `revoke all on database ${name} from public`,
        `grant connect on database ${name} to ${serviceRole}`,
      ])
      const own = withDatabase(url, name)
      const ask = createOwner(own)
      return {
        ask,
        serviceUrls: [own],
        startPooler: () => Promise.reject(new Error('PgBouncer leads to the PostgreSQL that comes with Manilla alone')),
        newFolder: () => mkdtemp(path.join(run.folder, 'wire-')),
        deaths: { times, awayMsMax, kill: () => killWorker(ask) },
        logged: await logsFromNow(url),
        drop: async () => void (await onEveryNode(url, [`drop database if exists ${name} with (force)`])),
      }
    },
    stop: () => run.end(),
  }
}

const workerOfFirstLane = `
  select nodename as host, nodeport as port from citus_shards
   where table_name = 'payment'::regclass
     and shardid = get_shard_id_for_distribution_column('payment', (select min(lane) from tenant))`

/** Always the same one of a world, so that some lanes are struck again and again, and others never. */
async function killWorker(ask: WorldDatabase['ask']): Promise<string> {
  const [worker] = await ask<{ host: string; port: number }>(workerOfFirstLane)
  if (worker === undefined || killer === undefined) throw new Error('there is no worker to kill, or nothing to kill it')
  await promisify(execFile)(killer, [worker.host, String(worker.port)])
  return `the worker ${worker.host}:${worker.port}`
}

type Log = { name: string; text: string }

/** A node that is started again begins a new file. */
const allLogs = `select name, pg_read_file(current_setting('log_directory') || '/' || name) as text from pg_ls_logdir()`

async function logsFromNow(url: string): Promise<WorldDatabase['logged']> {
  const read = async (): Promise<Log[][]> => (await onEveryNode(url, [allLogs])) as Log[][]
  const before = await read()
  return async (pattern) => {
    const since = (await read()).flatMap((logs, node) =>
      logs.flatMap(({ name, text }) => {
        const known = before[node]?.find((log) => log.name === name)?.text.length ?? 0
        return text.slice(known).split('\n')
      }),
    )
    return since.filter((line) => pattern.test(line))
  }
}
