// The server is killed while schedules run, again and again. Each row of each run becomes one payment.

import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { dayMs } from '#platform/durations.ts'
import { parseId, type Uuid } from '#platform/ids.ts'
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
const rowsEach = 1_000

function newRows(round: number): Record<string, string>[] {
  return Array.from({ length: rowsEach }, (_, index) => ({
    amount: String(10 + round * rowsEach + index),
    bank: 'guaranty-trust-bank',
    account: index % 8 === 7 ? '9990000005' : String(1_000_000_000 + round * rowsEach + index),
    name: 'ADA OBI',
  }))
}

it(
  `schedules that run around kill -9 pay each row once (seed ${seed}, ${rounds} rounds)`,
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
    const maker: TestPerson = await addPerson(service, { role: 'owner' })
    const here = below(service, 'staging')
    const schedules: string[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const body = { key: randomUUID(), title: `Round ${round}`, rows: newRows(round) }
      const { id } = expectSuccess(await maker.post(`${here}/payout-drafts`, body))
      const date = new Date(Date.now() + 2 * dayMs).toISOString().slice(0, 10)
      const terms = { repeats: 'monthly', date, time: '09:00' }
      expectSuccess(await maker.post(`${here}/payout-drafts/${id}/schedule`, terms))
      schedules.push(id)
      // Makes the schedule due.
      await asOwner(
        database,
        `update payout_schedule set next_at = now(), due_at = now() where state = 'active'
        and draft_id = '${parseId('payoutDraft', id)}'`,
      )
      // The first round is killed about when its run is made, the others while rows are sent.
      if (round > 1)
        await eventually('the first payment', async () => {
          const found = await asOwner(database, `select 1 from payment where reference like '${id}-%' limit 1`)
          return found.length > 0 ? true : undefined
        })
      await moment(chance() * (round > 1 ? 80 : 1_500))
      server.signal('SIGKILL')
      expect((await server.ended).signal).toBe('SIGKILL')
      server = await startServer(settings)
    }
    await untilHolds(async () => {
      const open = await asOwner(database, `select 1 from payout_draft where run_at is not null and status <> 'done'`)
      expect(open).toEqual([])
      const runs = await asOwner(database, 'select 1 from payout_draft where run_at is not null')
      expect(runs).toHaveLength(rounds)
    })
    await untilAllHaveEnded(database)
    const paid = await asOwner<{ reference: string }>(database, 'select reference from payment')
    const withoutDates = paid.map(({ reference }) => reference.replace(/-\d{8}-/, '-'))
    const wanted = schedules.flatMap((id) => Array.from({ length: rowsEach }, (_, index) => `${id}-${index + 1}`))
    expect(withoutDates.toSorted()).toEqual(wanted.toSorted())
    await expectBooksRight(database)
    await database.release()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  },
)
