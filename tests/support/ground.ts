// The PostgreSQL of a run: the embedded one, unless a setting asks for another. GROUND=pooler puts PgBouncer in front
// of it, GROUND=patroni takes three machines under Patroni, CITUS_DATABASE_URL a Citus (citus.ts). With the last two a
// server is killed between files, at most five times.

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { citusUrl, killWorkerOf } from './citus.ts'
import { openGate } from './gate.ts'
import { asOwner } from './owner.ts'
import { eventually } from './patience.ts'
import { launchPgBouncer } from './pgbouncer.ts'
import type { Run } from './run.ts'

export type Ground = {
  /** The login that may create databases. It names one server, also where the tests' addresses name several. */
  ownerUrl: string
  serviceUrl: string
  /** The address of the gate that test files pass (gate.ts); empty if there is none. */
  gate: string
  /** Called before its run ends. */
  end(): Promise<void>
}

export function startGround(run: Run, name = process.env['GROUND']): Promise<Ground> {
  if (name !== undefined && citusUrl !== undefined)
    throw new Error(`GROUND=${name} and CITUS_DATABASE_URL: a run stands on one of them.`)
  if (name === 'patroni') return startPatroni(run)
  if (name === 'pooler') return startPooler(run)
  if (name !== undefined) throw new Error(`GROUND=${name}: there is no such ground. There are: pooler, patroni.`)
  return citusUrl === undefined ? startEmbedded(run) : startCitus(run, citusUrl)
}

async function startEmbedded({ folder }: Run): Promise<Ground> {
  const dataDir = path.join(folder, 'data')
  const { ownerUrl, serviceUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  return { ownerUrl, serviceUrl, gate: '', end: release }
}

/** Connections of one database; PostgreSQL limits all of them together. */
const sessionsOfADatabaseMax = 300

async function startPooler(run: Run): Promise<Ground> {
  const postgres = await startEmbedded(run)
  const folder = path.join(run.folder, 'pooler')
  await mkdir(folder)
  const options = { folder, runFolder: run.folder, mode: 'session', poolSize: sessionsOfADatabaseMax } as const
  const pooler = await launchPgBouncer({ url: postgres.serviceUrl, ...options })
  return {
    ...postgres,
    serviceUrl: pooler.url,
    async end() {
      await pooler.stop()
      await postgres.end()
    },
  }
}

/** As many as the embedded PostgreSQL allows, for as many files at once. */
const connectionsMax = 400

/** The primary dies between files, so a later file reads data that came by replication. */
async function startPatroni(run: Run): Promise<Ground> {
  // The time to start a cluster without other load.
  const { startClusterOf } = await import('#tests/ha/cluster-of-run.ts')
  const cluster = await startClusterOf(run, { connectionsMax })
  const admin = { ownerUrl: cluster.proxyUrlOf('postgres') }
  // Gives the service's role the privileges that it has on the embedded PostgreSQL, because the sessions of a dropped
  // database are its own.
  await asOwner(admin, 'alter role manilla_owner createdb')
  await asOwner(admin, 'grant manilla_service, manilla_app to manilla_owner')

  async function killPrimary(): Promise<void> {
    const beganMs = performance.now()
    const { dead, primary } = await cluster.replacePrimary()
    await eventually('HAProxy to find the primary', () =>
      asOwner(admin, 'select txid_current()').catch(() => undefined),
    )
    process.stderr.write(
      `Between test files db${dead} was killed, and db${primary} took its place: ${secondsSince(beganMs)} s\n`,
    )
  }

  const gate = await openGateOf(run, killPrimary)
  return {
    ownerUrl: cluster.proxyUrlOf('manilla_owner'),
    serviceUrl: cluster.urlOf('manilla_app'),
    ...gate,
  }
}

/** The operator runs this Citus; CITUS_KILL_WORKER kills and restarts one of its workers. */
async function startCitus(run: Run, url: string): Promise<Ground> {
  const kill = killWorkerOf(url)
  const gate = kill === undefined ? { gate: '', end: () => Promise.resolve() } : await openGateOf(run, strike)
  return { ownerUrl: url, serviceUrl: url, ...gate }

  async function strike(): Promise<void> {
    const beganMs = performance.now()
    const worker = await kill?.()
    process.stderr.write(`Between test files ${worker} was killed and came back: ${secondsSince(beganMs)} s\n`)
  }
}

/** Strikes this often, so that a run of all tests gets to all strikes. */
const filesBetweenDeaths = 12
const deaths = 5

async function openGateOf(run: Run, strike: () => Promise<void>): Promise<Pick<Ground, 'gate' | 'end'>> {
  const address = path.join(run.folder, 'gate')
  const gate = await openGate({ address, filesBetween: filesBetweenDeaths, times: deaths, strike })
  return { gate: address, end: () => Promise.resolve(gate.close()) }
}

function secondsSince(beganMs: number): number {
  return Math.round((performance.now() - beganMs) / 1_000)
}
