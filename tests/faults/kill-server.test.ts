// Kills the server in the middle of its work again and again, sometimes with its PostgreSQL. Every accepted payment
// must exist afterwards, and a client without an answer can safely retry.

import { expect, it } from 'vitest'
import type { Currency } from '#platform/money.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { manilla, newMigratedDataDir, readCredentials, startServer, testKey } from '#tests/cli/support.ts'
import { killPostmaster } from '#tests/postgres/embedded/support.ts'
import { freePort } from '#tests/support/launch.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { expectMoneyMovedOnce, untilAllHaveEnded } from './proof.ts'
import { createChance, createLoad, moment, roundsFactor, seed, type Sent } from './load.ts'

const connections = 24

/** Also switches these currencies on, before the first payment. */
type Kills = { rounds: number; newPayment?: (number: number) => Sent; currencies?: Currency[] }

/** Kills the server in each round, and proves the state of the payments afterwards. */
async function expectToSurviveKills({ rounds, newPayment, currencies = [] }: Kills): Promise<void> {
  const chance = createChance(seed)
  const [dataDir, port] = [await newMigratedDataDir(), await freePort()]
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    BOOTSTRAP_TEST_KEY: testKey,
    SANDBOX_SETTLE_MS: '50',
    RATE_LIMIT_PER_MINUTE: '100000000',
  }
  const load = createLoad(`http://127.0.0.1:${port}/staging`, testKey, newPayment)
  for (let round = 1; round <= rounds; round += 1) {
    const server = await startServer(settings)
    if (round === 1 && currencies.length > 0) await switchOn(dataDir, currencies)
    const before = load.tally.acknowledged
    const running = load.run(connections)
    await load.acknowledged(before + 1 + Math.floor(chance() * 400))
    await moment(chance() * 20)
    const alsoPostgres = round % 2 === 0
    if (alsoPostgres && chance() < 0.5) await killPostmaster(dataDir)
    server.signal('SIGKILL')
    expect((await server.ended).signal).toBe('SIGKILL')
    if (alsoPostgres) await killPostmaster(dataDir).catch(() => undefined) // It may be dead already.
    await running.stop()
  }
  const server = await startServer(settings)
  await load.sendAllAgain()
  expect(load.wrong).toEqual([])
  // Each round needs requests without an answer: otherwise the test proves nothing.
  expect(load.tally.broken).toBeGreaterThanOrEqual(rounds)
  const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
  await untilAllHaveEnded(database)
  await expectMoneyMovedOnce(database, load)
  await database.release()
  load.client.close()
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
}

async function switchOn(dataDir: string, currencies: Currency[]): Promise<void> {
  const { businessId } = await readCredentials(dataDir)
  const words = ['businesses', 'currencies', businessId, '--environment', 'staging', '--on', currencies.join(',')]
  expect(await manilla(words, { env: { DATA_DIR: dataDir } })).toMatchObject({ code: 0 })
}

/** One in eight to or from a phone that refuses, in each currency and both ways. */
function inThreeCurrencies(number: number): Sent {
  const [currency, phonePrefix] = wallets[number % wallets.length] ?? ['NGN', '']
  const kind = number % 2 === 0 ? 'momo_transfer' : 'momo_collection'
  const fails = Math.floor(number / 6) % 8 === 7
  // Below the second step of the naira fees.
  const amount = 10_000 + 100 * (number % 1_000)
  return {
    kind,
    currency,
    payment: { reference: `MOMO-${number}`, amount, currency, phoneNumber: `${phonePrefix}${fails ? '007' : '001'}` },
    fee: currency === 'NGN' && kind === 'momo_transfer' ? 1_000 : amount / 100,
    ends: fails ? 'FAILED' : 'SUCCESS',
    data: undefined,
  }
}

const wallets: [Currency, string][] = [
  ['NGN', '+2348000000'],
  ['GHS', '+233240000'],
  ['XOF', '+2250500000'],
]

const rounds = 4 * roundsFactor

it(
  `what was acknowledged survives kill -9, and money moves once (seed ${seed}, ${rounds} rounds)`,
  { timeout: (1 + rounds) * patienceMs },
  () => expectToSurviveKills({ rounds }),
)

const roundsOfCurrencies = 3 * roundsFactor

it(
  `payouts and collections of three currencies survive kill -9, and each moves its own money once (seed ${seed}, ${roundsOfCurrencies} rounds)`,
  { timeout: (1 + roundsOfCurrencies) * patienceMs },
  () => expectToSurviveKills({ rounds: roundsOfCurrencies, newPayment: inThreeCurrencies, currencies: ['GHS', 'XOF'] }),
)
