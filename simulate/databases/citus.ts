// The database of a world on a Citus that the operator runs: its workers store the lanes. A program of the operator kills
// one worker and starts it again.

import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { citusUrl, killWorker, makeCitusTemplate, onEveryNode } from '#tests/support/citus.ts'
import { forServiceAlone } from '#tests/support/database.ts'
import { templateName, withDatabase } from '#tests/support/global-setup.ts'
import { beginRun } from '#tests/support/run.ts'
import { entriesOf, type Cluster, type StruckServer, type WorldDatabase } from './database.ts'
import { createOwner } from './owner.ts'

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
        // An interrupted run may have left the database.
        `drop database if exists ${name} with (force)`,
        `create database ${name} template ${templateName}`,
        ...forServiceAlone(name),
      ])
      const own = withDatabase(url, name)
      const ask = createOwner(own)
      return {
        ask,
        serviceUrls: [own],
        newFolder: () => mkdtemp(path.join(run.folder, 'wire-')),
        deaths: { times, awayMsMax, kill: async () => killWorker(await workerOf(ask)), strikes: () => workerOf(ask) },
        logged: await logsFromNow(url),
        drop: async () => void (await onEveryNode(url, [`drop database if exists ${name} with (force)`])),
      }
    },
    stop: () => run.end(),
  }
}

/**
 * The workers, each with its lanes among the 32 that a world may have. The worker with the lowest lane of a tenant
 * comes first. Citus moves no shard during a world.
 */
const lanesOfWorkers = `
  select array_agg(lane order by lane) as lanes, nodename as host, nodeport as port
    from generate_series(0, 31) lane
    join citus_shards on table_name = 'payment'::regclass
     and shardid = get_shard_id_for_distribution_column('payment', lane)
   group by host, port order by (select min(lane) from tenant) = any(array_agg(lane)) desc`

/** Always picks the same worker in a world, so that every death stops the same lanes and the others must go on. */
async function workerOf(ask: WorldDatabase['ask']): Promise<StruckServer> {
  const [worker] = await ask<StruckServer>(lanesOfWorkers)
  if (worker === undefined) throw new Error('there is no worker to kill')
  return worker
}

type Log = { name: string; text: string }

/** Reads every log file, because a node begins a new one each time it starts. */
const allLogs = `select name, pg_read_file(current_setting('log_directory') || '/' || name) as text from pg_ls_logdir()`

async function logsFromNow(url: string): Promise<WorldDatabase['logged']> {
  const read = async (): Promise<Log[][]> => (await onEveryNode(url, [allLogs])) as Log[][]
  const before = await read()
  return async (pattern) => {
    return (await read()).flatMap((logs, node) =>
      logs.flatMap(({ name, text }) => {
        const known = before[node]?.find((log) => log.name === name)?.text.length ?? 0
        return entriesOf(text.slice(known), pattern)
      }),
    )
  }
}
