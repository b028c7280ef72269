// The server is killed while drafts are approved and sent, again and again. Each row of each draft becomes one payment.

import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import type { Uuid } from '#platform/ids.ts'
import { newMigratedDataDir, startServer, testKey } from '#tests/cli/support.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, type TestPerson } from '#tests/support/dashboard.ts'
import { freePort } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually, patienceMs, untilHolds } from '#tests/support/patience.ts'
import type { TestService } from '#tests/support/service.ts'
import { createChance, moment, roundsFactor, seed } from './load.ts'
import { expectBooksRight, untilAllHaveEnded } from './proof.ts'

const rounds = 3 * roundsFactor
const rowsEach = 2_000

function newRows(round: number): Record<string, string>[] {
  return Array.from({ length: rowsEach }, (_, index) => ({
    amount: String(10 + round * rowsEach + index),
    bank: 'guaranty-trust-bank',
    account: index % 8 === 7 ? '9990000005' : String(1_000_000_000 + round * rowsEach + index),
    name: 'ADA OBI',
  }))
}

it(
  `drafts that are approved and sent around kill -9 pay each row once (seed ${seed}, ${rounds} rounds)`,
  { timeout: (1 + rounds) * patienceMs },
  async () => {
    const chance = createChance(seed)
    const [dataDir, port] = [await newMigratedDataDir(), await freePort()]
    const settings = { DATA_DIR: dataDir, PORT: String(port), BOOTSTRAP_TEST_KEY: testKey, SANDBOX_SETTLE_MS: '50' }
    let server = await startServer(settings)
    const database = await openEmbeddedPostgres({ dataDir, use: 'command' })
    const [business] = await asOwner<{ id: Uuid }>(database, 'select id from business')
    const clock = { now: () => Date.now() }
    const service = { database, ctx: { clock }, business, url: `http://127.0.0.1:${port}` } as unknown as TestService
    const [maker, checker]: [TestPerson, TestPerson] = [
      await addPerson(service, { role: 'owner' }),
      await addPerson(service, { role: 'finance' }),
    ]
    const here = below(service, 'staging')
    expectSuccess(await maker.patch(`${here}/payout-policy`, { mode: 'every' }))
    const drafts: { id: string; hash: string }[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const body = { key: randomUUID(), title: `Round ${round}`, rows: newRows(round) }
      const { id } = expectSuccess(await maker.post(`${here}/payout-drafts`, body))
      const { hash } = expectSuccess(await maker.post(`${here}/payout-drafts/${id}/submit`))
      drafts.push({ id, hash })
      const approve = (): Promise<unknown> =>
        checker.post(`${here}/payout-drafts/${id}/approve`, { hash }).catch(() => undefined)
      const clicks = [approve(), approve()]
      // The first round is killed about when it is approved, the others while rows are sent.
      if (round > 1)
        await eventually('the first payment', async () => {
          const found = await asOwner(database, `select 1 from payment where reference like '${id}-%' limit 1`)
          return found.length > 0 ? true : undefined
        })
      await moment(chance() * 80)
      server.signal('SIGKILL')
      expect((await server.ended).signal).toBe('SIGKILL')
      await Promise.all(clicks)
      const longest = new Date(Date.now() + 15_000).toISOString()
      expect(await asOwner(database, `select id from payout_draft where due_at > '${longest}'`)).toEqual([])
      server = await startServer(settings)
      await approve()
    }
    await untilHolds(async () => {
      const open = await asOwner(database, `select 1 from payout_draft where status <> 'done'`)
      expect(open).toEqual([])
    })
    await untilAllHaveEnded(database)
    const paid = await asOwner<{ reference: string }>(database, 'select reference from payment')
    const wanted = drafts.flatMap(({ id }) => Array.from({ length: rowsEach }, (_, index) => `${id}-${index + 1}`))
    expect(paid.map(({ reference }) => reference).toSorted()).toEqual(wanted.toSorted())
    const outcomes = await asOwner(database, 'select outcome, count(*)::int from payout_draft_row group by 1')
    expect(outcomes).toEqual([{ outcome: 'accepted', count: rounds * rowsEach }])
    await expectBooksRight(database)
    await database.release()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  },
)
