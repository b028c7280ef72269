// The server is killed in the middle of its work, again and again, sometimes together with its PostgreSQL. Whoever
// was told that a transfer is accepted must find it, and whoever was told nothing may ask again without fear.

import { expect, it } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { newMigratedDataDir, startServer, testKey } from '#tests/cli/support.ts'
import { killPostmaster } from '#tests/postgres/embedded/support.ts'
import { freePort } from '#tests/support/launch.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { expectMoneyMovedOnce, untilAllHaveEnded } from './proof.ts'
import { createChance, createLoad, moment, roundsFactor, seed } from './load.ts'

const rounds = 4 * roundsFactor
const connections = 24

it(
  `what was acknowledged survives kill -9, and money moves once (seed ${seed}, ${rounds} rounds)`,
  { timeout: (1 + rounds) * patienceMs },
  async () => {
    const chance = createChance(seed)
    const [dataDir, port] = [await newMigratedDataDir(), await freePort()]
    const settings = {
      DATA_DIR: dataDir,
      PORT: String(port),
      BOOTSTRAP_TEST_KEY: testKey,
      SANDBOX_SETTLE_MS: '50',
      RATE_LIMIT_PER_MINUTE: '100000000',
    }
    const load = createLoad(`http://127.0.0.1:${port}/staging`, testKey)
    for (let round = 1; round <= rounds; round += 1) {
      const server = await startServer(settings)
      const before = load.tally.acknowledged
      const running = load.run(connections)
      await load.acknowledged(before + 1 + Math.floor(chance() * 400))
      await moment(chance() * 20)
      const alsoPostgres = round % 2 === 0
      if (alsoPostgres && chance() < 0.5) await killPostmaster(dataDir)
      server.signal('SIGKILL')
      expect((await server.ended).signal).toBe('SIGKILL')
      if (alsoPostgres) await killPostmaster(dataDir).catch(() => undefined) // Unless that was done before.
      await running.stop()
    }
    const server = await startServer(settings)
    await load.sendAllAgain()
    expect(load.wrong).toEqual([])
    // Each round had requests whose fate nobody knew: otherwise nothing was tested here.
    expect(load.tally.broken).toBeGreaterThanOrEqual(rounds)
    const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
    await untilAllHaveEnded(database)
    await expectMoneyMovedOnce(database, load)
    await database.release()
    load.client.close()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  },
)
