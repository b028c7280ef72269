// A highly available PostgreSQL, as tests/ha start it: three machines with etcd, Patroni and PostgreSQL each, and HAProxy in front.
// The machine of the primary dies, another one takes its place, and the dead one comes back as a standby of that.

import { mkdir, mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { migrate } from '#migrations/migrate.ts'
import { startCluster } from '#tests/ha/cluster.ts'
import { createLoopback } from '#tests/ha/network.ts'
import { forServiceAlone } from '#tests/support/database.ts'
import { templateName, withDatabase } from '#tests/support/global-setup.ts'
import { launch } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { beginRun } from '#tests/support/run.ts'
import type { Cluster } from './database.ts'
import { createOwner } from './owner.ts'

const times = 5
/** Half a minute on a machine that has nothing else to do: docs/runbooks/scale.md. */
const awayMsMax = 120_000

export async function startPatroni(): Promise<Cluster> {
  const run = await beginRun()
  const network = createLoopback(async (words, { cwd = run.folder, ...options }) =>
    launch(words, { ...options, cwd, runFolder: run.folder }),
  )
  const folder = path.join(run.folder, 'ha')
  await mkdir(folder)
  const cluster = await startCluster(network, folder)
  const admin = { ownerUrl: cluster.proxyUrlOf('postgres') }

  async function kill(): Promise<string> {
    const primary = await cluster.whole()
    await cluster.kill(primary)
    await cluster.another(primary)
    await cluster.start(primary)
    return `db${primary}, and db${await cluster.whole()} took its place`
  }

  async function make(name: string, like: string): Promise<void> {
    const creation = `create database ${name} owner manilla_owner template ${like}`
    for (const sql of [creation, ...forServiceAlone(name)]) await asOwner(admin, sql)
  }

  await make(templateName, 'template0')
  await migrate(withDatabase(cluster.urlOf('manilla_owner'), templateName))
  return {
    async create(name) {
      await make(name, templateName)
      const before = cluster.logs().map(({ length }) => length)
      return {
        ask: createOwner(withDatabase(cluster.urlOf('manilla_owner'), name)),
        serviceUrls: [cluster.urlOf('manilla_app'), cluster.proxyUrlOf('manilla_app')].map((url) =>
          withDatabase(url, name),
        ) as [string, string],
        newFolder: () => mkdtemp(path.join(run.folder, 'wire-')),
        deaths: { times, awayMsMax, kill },
        async logged(pattern) {
          const since = cluster.logs().flatMap((log, index) => log.slice(before[index] ?? 0).split('\n'))
          return since.filter((line) => pattern.test(line))
        },
        drop: async () => void (await asOwner(admin, `drop database if exists ${name} with (force)`).catch(() => [])),
      }
    },
    stop: () => run.end(),
  }
}
