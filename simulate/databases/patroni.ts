// The database of a world on a highly available PostgreSQL, as tests/ha starts it: three machines with etcd, Patroni and
// PostgreSQL each, and HAProxy in front. A death kills the machine of the primary: another machine becomes the primary, and
// the dead one comes back as its standby.

import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { migrate } from '#postgres/migrations/migrate.ts'
import { startClusterOf } from '#tests/ha/cluster-of-run.ts'
import { forServiceAlone } from '#tests/support/database.ts'
import { templateName, withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'
import { beginRun } from '#tests/support/run.ts'
import { entriesOf, type Cluster } from './database.ts'
import { createOwner } from './owner.ts'

const times = 5
/** Four times as long as a failover takes on an idle machine: docs/runbooks/scale.md. */
const awayMsMax = 120_000

export async function startPatroni(): Promise<Cluster> {
  const run = await beginRun()
  const cluster = await startClusterOf(run)
  const admin = { ownerUrl: cluster.proxyUrlOf('postgres') }

  async function kill(): Promise<string> {
    const { dead, primary } = await cluster.replacePrimary()
    return `db${dead}, and db${primary} took its place`
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
        logged: async (pattern) =>
          cluster.logs().flatMap((log, index) => entriesOf(log.slice(before[index] ?? 0), pattern)),
        drop: async () => void (await asOwner(admin, `drop database if exists ${name} with (force)`).catch(() => [])),
      }
    },
    stop: () => run.end(),
  }
}
