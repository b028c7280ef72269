// One scenario, measured: a fresh durable PostgreSQL, the service, the echo server and the naive peer as processes of
// their own, and rounds that go around among them, so that a machine that gets slower meanwhile does so for all.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { theService } from '#base/context.ts'
import { createDb } from '#base/db.ts'
import { createLog } from '#base/log.ts'
import { createMetrics } from '#base/metrics.ts'
import { openEmbeddedPostgres } from '#embedded/open.ts'
import { migrate, serviceRole } from '#migrations/migrate.ts'
import { startChild, type Child, type Usage } from './child.ts'
import { watchDatabase, type DatabaseUsage } from './database-usage.ts'
import { figuresOf, type Figures, type Round } from './figures.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import type { Facts, Rig, Scenario } from './scenario.ts'

export type Settings = {
  seconds: number
  /** Where the point is to sustain, a round takes longer than that. */
  sustains: boolean
  rounds: number
  profile: boolean
}

export type Measured = { connections: number; figures: Record<string, Figures> }

/** Something to send requests to; a variant has the service's process and requests of its own. */
type Peer = { name: string; child: Child; port: number }

type Bench = {
  name: string
  scenario: Scenario
  settings: Settings
  say: (text: string) => void
  rig: Rig
  facts: Facts
  loader: Child
  databaseUsage: DatabaseUsage
}

const warmUpSeconds = 2

export const profileFolder = path.join(import.meta.dirname, 'results', 'profiles')

export async function measure(
  name: string,
  scenario: Scenario,
  settings: Settings,
  say: (text: string) => void,
): Promise<Measured[]> {
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
      const bench = { name, scenario, settings, say, rig, facts, loader: start('load.ts'), databaseUsage }
      const measured = await measureAll(bench, await startPeers(bench, postgres, start))
      await scenario.verify?.(rig, facts)
      return measured
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
  return { ctx: { db, clock: { now: () => Date.now() }, log, metrics, by: theService }, ownerUrl }
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
  const flags = [...(await nodeFlags()), ...profiling]
  const echo = await open('echo', start('servers/echo.ts'), {})
  const order = { databaseUrl: serviceUrl, ...scenario.service }
  const service = await open('service', start('servers/service.ts', flags), order)
  const variants = Object.keys(scenario.variants ?? {}).map((name) => ({ ...service, name }))
  if (scenario.naive !== true || settings.profile) return [echo, service, ...variants]
  return [echo, service, ...variants, await open('naive', start('peers/naive.ts'), { databaseUrl: ownerUrl })]
}

/** As `npm start` has them. */
async function nodeFlags(): Promise<string[]> {
  const manifest = await readFile(path.join(import.meta.dirname, '..', 'package.json'), 'utf8')
  const { config } = JSON.parse(manifest) as { config: { nodeFlags: string } }
  return config.nodeFlags.split(' ')
}

async function measureAll(bench: Bench, peers: Peer[]): Promise<Measured[]> {
  const { scenario, settings, say } = bench
  const measured: Measured[] = []
  let from = 0

  async function run({ name, child, port }: Peer, connections: number, seconds: number): Promise<Round[]> {
    const before = await child.ask<Usage>({})
    const started = name === 'service' ? await scenario.progress?.(bench.rig, bench.facts) : undefined
    const order: LoadOrder = {
      scenario: bench.name,
      variant: name,
      facts: bench.facts,
      from,
      port,
      connections: scenario.variantConnections?.[name] ?? connections,
      seconds,
    }
    const databaseBefore = await bench.databaseUsage()
    const result = await bench.loader.ask<LoadResult>(order)
    from = result.next
    const databaseAfter = await bench.databaseUsage()
    const ended = started === undefined ? undefined : await scenario.progress?.(bench.rig, bench.facts)
    const usage = await child.ask<Usage>({})
    const round = {
      ...result,
      requests: result.requests * (scenario.countsAs?.[name] ?? 1),
      name,
      rssBytes: usage.rssBytes,
      cpuMicros: usage.cpuMicros - before.cpuMicros,
      databaseMicros:
        name === 'echo' || databaseBefore === undefined || databaseAfter === undefined
          ? null
          : databaseAfter - databaseBefore,
      waiting: 0,
    }
    if (started === undefined || ended === undefined) return [round]
    return [round, { ...round, name: 'followed', requests: ended.done - started.done, waiting: ended.waiting }]
  }

  for (const connections of scenario.connections) {
    const rounds: Round[] = []
    for (const peer of peers) await run(peer, connections, warmUpSeconds)
    for (let round = 1; round <= settings.rounds; round++) {
      say(`${connections} connections, round ${round} of ${settings.rounds} …`)
      for (const peer of peers) {
        const secondsLeast = settings.sustains && peer.name !== 'echo' ? (scenario.secondsLeast ?? 0) : 0
        rounds.push(...(await run(peer, connections, Math.max(settings.seconds, secondsLeast))))
      }
    }
    measured.push({ connections, figures: figuresOf(rounds) })
  }
  return measured
}
