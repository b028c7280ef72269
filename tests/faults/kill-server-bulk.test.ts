// Kills the server again and again while it works on bulk requests. A client that sends the same bodies again has each
// transfer exactly once, and earlier answers stay true.

import { expect, it } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { createClient, expectSuccess, type Answer } from '#tests/support/client.ts'
import { newMigratedDataDir, startServer, testKey } from '#tests/cli/support.ts'
import { freePort } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually, patienceMs } from '#tests/support/patience.ts'
import { expectBooksRight, untilAllHaveEnded } from './proof.ts'
import { createChance, moment, roundsFactor, seed } from './load.ts'

const rounds = 3 * roundsFactor
const itemsEach = 1_000
const bodiesEach = 6

type Body = { transfers: { reference: string }[] }
type Results = { outcome: string; transfer: unknown }[]

/** One in eight goes to an account that refuses the money. */
function newBody(number: number): Body {
  const transfers = Array.from({ length: itemsEach }, (_, index) => ({
    reference: `PAYOUT-${number}-${index}`,
    amount: 1_000 + index,
    bankSlug: 'guaranty-trust-bank',
    accountNumber: index % 8 === 7 ? '9990000005' : String(1_000_000_000 + index),
    accountName: 'ADA OBI',
  }))
  return { transfers }
}

it(
  `a body that is sent again after kill -9 is each transfer once (seed ${seed}, ${rounds} rounds)`,
  { timeout: (1 + rounds) * patienceMs },
  async () => {
    const chance = createChance(seed)
    const [dataDir, port] = [await newMigratedDataDir(), await freePort()]
    const settings = { DATA_DIR: dataDir, PORT: String(port), BOOTSTRAP_TEST_KEY: testKey, SANDBOX_SETTLE_MS: '50' }
    const client = createClient(`http://127.0.0.1:${port}/staging`, testKey)
    const send = (body: Body): Promise<Answer> => client.post('/v1/transfers/bulk', body)
    const sent: { body: Body; told: Results | undefined }[] = []
    let broken = 0
    for (let round = 1; round <= rounds; round += 1) {
      const server = await startServer(settings)
      const bodies = Array.from({ length: bodiesEach }, (_, index) => newBody(sent.length + index))
      const answers = bodies.map((body) => send(body).catch(() => undefined))
      await someAreStored(client, bodies)
      await moment(chance() * 60)
      server.signal('SIGKILL')
      expect((await server.ended).signal).toBe('SIGKILL')
      for (const [index, body] of bodies.entries()) {
        const answer = await answers[index]
        if (answer === undefined) broken += 1
        sent.push({ body, told: answer === undefined ? undefined : expectSuccess(answer).results })
      }
    }
    // The kills must have broken requests, or the test would prove nothing.
    expect(broken).toBeGreaterThanOrEqual(rounds)
    const server = await startServer(settings)
    let replayed = 0
    for (const { body, told } of sent) {
      const data = expectSuccess(await send(body))
      expect({ refused: data.refused, all: data.accepted + data.replayed }).toEqual({ refused: 0, all: itemsEach })
      if (told === undefined) replayed += data.replayed
      expect(data.results).toEqual(told?.map((result) => ({ ...result, outcome: 'replayed' })) ?? data.results)
    }
    expect(replayed).toBeGreaterThan(0)
    const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
    await untilAllHaveEnded(database)
    const rows = await asOwner<{ reference: string }>(database, 'select reference from payment')
    const references = sent.flatMap(({ body }) => body.transfers.map(({ reference }) => reference))
    expect(rows.map(({ reference }) => reference).toSorted()).toEqual(references.toSorted())
    await expectBooksRight(database)
    await database.release()
    client.close()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  },
)

/** Resolves once the first of these bodies is stored in part, most likely not as a whole. */
async function someAreStored(client: ReturnType<typeof createClient>, [first]: Body[]): Promise<void> {
  const reference = first?.transfers[0]?.reference ?? ''
  await eventually('the first transfer', async () => {
    const { status } = await client.get(`/v1/transfers/${reference}`)
    return status === 200 ? true : undefined
  })
}
