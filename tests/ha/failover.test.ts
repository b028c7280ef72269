// PostgreSQL under Patroni loses its primary while payments go on: by kill -9, by an operator's switch-over, by a cut
// wire. No answered request is lost, nothing is done twice, and the service recovers by itself. The test takes minutes
// and mostly waits, so a run of all tests leaves it out. `HA=brief`, as in .ci/run: one kill and one switch-over. `npm
// run ha` runs all of it: five kills and each kind of cut, with a limit for each outage.

import { expect, it, onTestFinished } from 'vitest'
import { start, startManilla, portOf, manilla } from '#tests/cli/support.ts'
import { settings } from '#tests/deploy/own-postgres.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { newFolder } from '#tests/support/run.ts'
import { missingTools, machines, startCluster, type Cluster, type Machine } from './cluster.ts'
import { createLoopback, createNamespaces } from './network.ts'
import { startTraffic, type Traffic } from './traffic.ts'

const wanted = process.env['HA']
const whole = wanted === 'whole'
const kills = 5
const cuts = 3
/** Four waits for each fault: for a whole cluster, for another primary, for traffic before and after. */
const waitsPerFault = 4
/**
 * The time from the last payment before a fault to the first one after it. On a busy machine this limit only ends a
 * hang.
 */
const outageMsMax = whole ? 30_000 : patienceMs

const receiver = await useReceiver()
const say = (line: string): void => void process.stderr.write(`${line}\n`)
if (wanted !== undefined && missingTools.length > 0)
  say(`This machine lacks ${missingTools.join(', ')}: the tests of a highly available PostgreSQL are skipped.`)

/** One process that uses HAProxy, one that knows all three machines itself, and traffic through both. */
async function beginTraffic(cluster: Cluster): Promise<Traffic> {
  const urls = {
    DATABASE_URL: cluster.urlOf('manilla_app'),
    MIGRATION_DATABASE_URL: cluster.urlOf('manilla_owner'),
    ...settings,
  }
  const command = async (...args: string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await manilla([...args, '--json'], { env: urls })
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout) as Record<string, string>
  }
  expect(await manilla(['migrate'], { env: urls })).toMatchObject({ code: 0 })
  const { id = '' } = await command('businesses', 'create', '--name', 'My Company')
  const { key = '' } = await command('keys', 'create', '--business', id, '--environment', 'staging')
  const env = { ...urls, PORT: '0', DASHBOARD: 'off', SANDBOX_SETTLE_MS: '50', RATE_LIMIT_PER_MINUTE: '100000000' }
  const direct = await startManilla(['serve'], { env })
  const proxied = await startManilla(['serve'], { env: { ...env, DATABASE_URL: cluster.proxyUrlOf('manilla_app') } })
  onTestFinished(() => {
    for (const server of [direct, proxied]) server.signal('SIGTERM')
  })
  const [transfersTo, depositsTo] = await Promise.all(
    [direct, proxied].map(async (server) => `http://127.0.0.1:${await portOf(server)}/staging`),
  )
  return startTraffic({ transfersTo: transfersTo ?? '', depositsTo: depositsTo ?? '', key, receiver })
}

/** Checks the doctor's findings about the cluster, through the address that names all machines. */
async function expectHealthy(cluster: Cluster, primary: string): Promise<void> {
  const env = { ...settings, DATABASE_URL: cluster.urlOf('manilla_app') }
  const { stdout } = await manilla(['doctor', '--json'], { env })
  expect((JSON.parse(stdout) as { findings: unknown[] }).findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        check: 'database',
        message: expect.stringContaining(`${primary}:5432 takes the writes`),
      }),
      expect.objectContaining({ check: 'replication', state: 'ok' }),
    ]),
  )
  expect(await manilla(['ledger', 'verify'], { env })).toMatchObject({ code: 0 })
}

/** Causes the fault while traffic goes on. Resolves when the service accepts payments and deposits again. */
async function outageOf(what: string, traffic: Traffic, fault: () => Promise<void>): Promise<void> {
  await traffic.more()
  traffic.longestSilence()
  await fault()
  await traffic.more()
  const silenceMs = traffic.longestSilence()
  say(`${(silenceMs / 1_000).toFixed(1).padStart(5)} s without a payment: ${what}`)
  expect(silenceMs, what).toBeLessThan(outageMsMax)
}

async function killAndReplace(cluster: Cluster, traffic: Traffic): Promise<void> {
  const dead = await cluster.whole()
  await outageOf('the machine of the primary was killed', traffic, async () => {
    await cluster.kill(dead)
    await cluster.another(dead)
  })
  await cluster.start(dead)
}

it.runIf(wanted !== undefined && missingTools.length === 0)(
  'payments survive the death of the primary and a switch-over, each once, and go on by themselves',
  { timeout: (whole ? 2 + kills : 2) * waitsPerFault * patienceMs },
  async () => {
    const network = createLoopback(start)
    const cluster = await startCluster(network, await newFolder('ha'))
    const traffic = await beginTraffic(cluster)
    for (let kill = 1; kill <= (whole ? kills : 1); kill++) await killAndReplace(cluster, traffic)
    const old = await cluster.whole(whole ? 2 : 1)
    await outageOf('an operator moved the primary', traffic, () => cluster.switchOver())
    if (whole) {
      const crashed = await cluster.whole()
      await outageOf('PostgreSQL of the primary was killed', traffic, () => cluster.killPostgres(crashed))
    }
    const primary = await cluster.whole(1)
    expect(whole || primary !== old).toBe(true)
    await traffic.stop()
    await traffic.expectNothingLost()
    await expectHealthy(cluster, network.addressOf(primary))
  },
)

const namespaces = whole && missingTools.length === 0 ? await createNamespaces(machines, start) : undefined
if (whole && namespaces === undefined) say('No network namespaces can be made here: the cut wire is not tried.')

it.runIf(namespaces !== undefined)(
  'payments survive a cut between the primary and everybody else, and one between it and its standby',
  { timeout: cuts * waitsPerFault * patienceMs },
  async () => {
    const network = namespaces ?? createLoopback(start)
    const cluster = await startCluster(network, await newFolder('ha'))
    const traffic = await beginTraffic(cluster)
    const cutOff = await cluster.whole()
    await outageOf('the wire of the primary was cut', traffic, async () => {
      await network.cut(cutOff)
      await cluster.another(cutOff)
    })
    await outageOf('the wire was mended', traffic, () => network.heal(cutOff))
    await cluster.whole()
    const standby = await cluster.synchronous()
    await outageOf('the wire of the synchronous standby was cut', traffic, () => network.cut(standby))
    await network.heal(standby)
    const primary: Machine = await cluster.whole()
    await traffic.stop()
    await traffic.expectNothingLost()
    await expectHealthy(cluster, network.addressOf(primary))
  },
)
