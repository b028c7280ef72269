// Starts the processes of a measurement, and stops them after it: a fresh durable PostgreSQL, the service, the echo server, the
// naive peer and the load generators.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { systemClock } from '#platform/clock.ts'
import { theService } from '#platform/context.ts'
import { createDb } from '#platform/db/db.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { migrate, serviceRole } from '#postgres/migrations/migrate.ts'
import { startChild, type Child } from './child.ts'
import { watchDatabase, type DatabaseUsage } from './database-usage.ts'
import type { Facts, Rig, Scenario } from './scenario.ts'

export type Settings = {
  seconds: number
  /** True if --seconds was not given: a scenario about sustained load then uses its own, longer rounds. */
  sustains: boolean
  rounds: number
  profile: boolean
  /**
   * True: the service does not count the dashboard's figures (servers/without-figures.ts). A second run that counts
   * them shows what that costs.
   */
  withoutFigures: boolean
}

/** A server that is measured. A variant is measured on the service's process too, with other requests. */
export type Peer = { name: string; child: Child; port: number }

export type Bench = {
  name: string
  scenario: Scenario
  settings: Settings
  say: (text: string) => void
  rig: Rig
  facts: Facts
  loader: Child
  /** The second load generator, for the requests of `beside`. Undefined if the scenario has none. */
  besideLoader: Child | undefined
  databaseUsage: DatabaseUsage
}

/** Long enough for V8: after three seconds of load it still spends a fifth of the processor time on compiling. */
export const warmUpSeconds = 10

const withoutFigures = path.join(import.meta.dirname, 'servers', 'without-figures.ts')

export const profileFolder = path.join(import.meta.dirname, 'results', 'profiles')

export async function withBench<T>(
  name: string,
  scenario: Scenario,
  { settings, say }: Pick<Bench, 'settings' | 'say'>,
  work: (bench: Bench, peers: Peer[]) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'manilla-bench-'))
  const children: Child[] = []
  const postgres = await openEmbeddedPostgres({ dataDir, use: 'command' })
  try {
    await migrate(postgres.ownerUrl)
    const rig = createRig(postgres)
    try {
      say('preparing …')
      const facts = await scenario.prepare(rig, say)
      const start = (script: string, flags: string[] = []): Child => {
        const child = startChild(script, flags)
        children.push(child)
        return child
      }
      const databaseUsage = await watchDatabase(postgres.ownerUrl)
      const besideLoader = scenario.beside === undefined ? undefined : start('load.ts')
      const bench = { name, scenario, settings, say, rig, facts, loader: start('load.ts'), besideLoader, databaseUsage }
      const done = await work(bench, await startPeers(bench, postgres, start))
      await scenario.verify?.(rig, facts)
      return done
    } finally {
      await Promise.all(children.map((child) => child.stop()))
      await rig.ctx.db.close()
    }
  } finally {
    await postgres.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Urls = { ownerUrl: string; serviceUrl: string }

function createRig({ ownerUrl, serviceUrl }: Urls): Rig {
  const log = createLog({ level: 'warn', format: 'json' })
  const metrics = createMetrics()
  const db = createDb({ url: serviceUrl, role: serviceRole, log, metrics })
  return { ctx: { db, clock: systemClock, log, metrics, by: theService }, ownerUrl }
}

async function startPeers(
  { scenario, settings }: Bench,
  { ownerUrl, serviceUrl }: Urls,
  start: (script: string, flags?: string[]) => Child,
): Promise<Peer[]> {
  const open = async (name: string, child: Child, order: object): Promise<Peer> => ({
    name,
    child,
    port: (await child.ask<{ port: number }>(order)).port,
  })
  const profiling = settings.profile ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, '--cpu-prof-interval=500'] : []
  const swapping = settings.withoutFigures ? ['--import', pathToFileURL(withoutFigures).href] : []
  const flags = [...(await nodeFlags()), ...profiling, ...swapping]
  const echo = await open('echo', start('servers/echo.ts'), {})
  const order = { databaseUrl: serviceUrl, ...scenario.service }
  const service = await open('service', start('servers/service.ts', flags), order)
  const variants = Object.keys(scenario.variants ?? {}).map((name) => ({ ...service, name }))
  if (scenario.naive !== true || settings.profile) return [echo, service, ...variants]
  return [echo, service, ...variants, await open('naive', start('peers/naive.ts'), { databaseUrl: ownerUrl })]
}

/** The Node flags of `npm start`. */
async function nodeFlags(): Promise<string[]> {
  const manifest = await readFile(path.join(import.meta.dirname, '..', 'package.json'), 'utf8')
  const { config } = JSON.parse(manifest) as { config: { nodeFlags: string } }
  return config.nodeFlags.split(' ')
}
