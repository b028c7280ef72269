// PostgreSQL is killed under a server that has work: all of it, one session of it, and again while it recovers. The
// server stays up, answers 503 meanwhile and nothing worse, and continues as soon as PostgreSQL is back.

import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { openEmbeddedPostgres, type EmbeddedPostgres } from '#postgres/embedded/open.ts'
import { signalProcess } from '#postgres/embedded/server-process.ts'
import { createClient } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { newInitializedDataDir, newMigratedDataDir, startServer, testKey } from '#tests/cli/support.ts'
import { killAndWait, killPostmaster, postmasterPid, query } from '#tests/postgres/embedded/support.ts'
import { freePort } from '#tests/support/launch.ts'
import { eventually, patienceMs } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { expectMoneyMovedOnce, untilAllHaveEnded } from './proof.ts'
import { createChance, createLoad, moment, roundsFactor, seed } from './load.ts'

const connections = 24
/** It takes two or three seconds on a quiet machine. A stop that waits for PostgreSQL would take its limit of 30 s. */
const leaveMsMax = 25_000

type Fault = (dataDir: string) => Promise<void>

const killWhole: Fault = async (dataDir) => void (await killPostmaster(dataDir))

const killTwice: Fault = async (dataDir) => {
  const first = await killPostmaster(dataDir)
  // The second PostgreSQL is killed as soon as it exists, in the middle of its recovery.
  const second = await eventually('the next PostgreSQL', async () => {
    const pid = await postmasterPid(dataDir)
    return pid === first ? undefined : pid
  })
  await killAndWait(second, 'SIGKILL')
}

/** PostgreSQL then ends all other sessions and recovers, without a new postmaster. */
function killSession(like: string): Fault {
  return async (dataDir) => {
    const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
    await database.release()
    await killAndWait(await findSession(database, 'application_name like $1', [like]), 'SIGKILL')
  }
}

const faults: [string, Fault][] = [
  ['the whole PostgreSQL', killWhole],
  ['the session that writes', killSession('manilla lane %')],
  ['PostgreSQL and then the one that recovers', killTwice],
  ['the session of the loaders, which knows the keys', killSession('manilla readers')],
]

it(
  `the server outlives kill -9 of its PostgreSQL, and money moves once (seed ${seed})`,
  { timeout: (1 + faults.length * roundsFactor) * patienceMs },
  async () => {
    const chance = createChance(seed)
    // The data is on a disk, as in production. In memory PostgreSQL may restart before the service notices.
    const folder = await newFolder('kill-postgres', tmpdir())
    const [dataDir, port] = [await newMigratedDataDir(folder), await freePort()]
    const server = await startServer({
      DATA_DIR: dataDir,
      PORT: String(port),
      BOOTSTRAP_TEST_KEY: testKey,
      SANDBOX_SETTLE_MS: '50',
      RATE_LIMIT_PER_MINUTE: '100000000',
    })
    const load = createLoad(`http://127.0.0.1:${port}/staging`, testKey)
    const running = load.run(connections)
    for (let round = 0; round < faults.length * roundsFactor; round += 1) {
      const [what, fault] = faults[round % faults.length] ?? ['nothing', killWhole]
      await load.acknowledged(load.tally.acknowledged + 50 + Math.floor(chance() * 200))
      await moment(chance() * 20)
      const unavailable = load.tally.unavailable
      await fault(dataDir)
      await eventually(`a 503 after ${what} was killed`, () =>
        Promise.resolve(load.tally.unavailable > unavailable ? true : undefined),
      )
      await load.acknowledged(load.tally.acknowledged + 1)
    }
    await running.stop()
    await load.sendAllAgain()
    expect(load.wrong).toEqual([])
    expect(load.tally.broken, 'no connection was cut').toBe(0)
    const health = createClient(`http://127.0.0.1:${port}`)
    expect((await health.get('/ready')).status).toBe(200)
    const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
    await untilAllHaveEnded(database)
    await expectMoneyMovedOnce(database, load)
    await database.release()
    health.close()
    load.client.close()
    server.signal('SIGTERM')
    const { code, stderr } = await server.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  },
)

it('a command that ends while PostgreSQL recovers does not stop it under the server', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openEmbeddedPostgres({ dataDir, use: 'serve' })
  const command = await openEmbeddedPostgres({ dataDir, use: 'command' })
  const postmaster = await postmasterPid(dataDir)
  await killSomeSession(server)
  await command.release()
  await eventually('PostgreSQL', async () => ((await answers(server)) ? true : undefined))
  expect(await postmasterPid(dataDir)).toBe(postmaster)
  await server.release()
})

it('a server that leaves while PostgreSQL recovers stops it within seconds', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openEmbeddedPostgres({ dataDir, use: 'serve' })
  // A recovery may be over before the test looks. While PostgreSQL recovers, there is no session to kill.
  await eventually('the recovery', async () => {
    await killSomeSession(server).catch(() => undefined)
    return (await answers(server)) ? undefined : true
  })
  const since = performance.now()
  await server.release()
  expect(performance.now() - since).toBeLessThan(leaveMsMax)
  expect(await postmasterPid(dataDir)).toBeUndefined()
  const next = await openEmbeddedPostgres({ dataDir, use: 'command' })
  expect(await answers(next)).toBe(true)
  await next.release()
})

async function killSomeSession(database: EmbeddedPostgres): Promise<void> {
  const victim = query(database.ownerUrl, 'select pg_sleep(60)').catch(() => 'killed')
  const pid = await findSession(database, `wait_event = 'PgSleep'`)
  signalProcess(pid, 'SIGKILL')
  expect(await victim).toBe('killed')
}

function findSession(database: { ownerUrl: string }, which: string, values: string[] = []): Promise<number> {
  return eventually('a session to kill', async () => {
    const find = `select pid from pg_stat_activity where ${which}`
    return (await asOwner<{ pid: number }>(database, find, values))[0]?.pid
  })
}

function answers(database: EmbeddedPostgres): Promise<boolean> {
  return query(database.serviceUrl, 'select 1').then(
    () => true,
    () => false,
  )
}
