// The server is killed between sending and recording. No delivery is lost: the receiver gets it again, with the same id
// and the same bytes.

import { expect, it } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { newMigratedDataDir, startServer, testKey } from '#tests/cli/support.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'

const receiver = await useReceiver()
const events = 20

it('a delivery that a killed server had sent and not recorded is sent again', async () => {
  const env = { DATA_DIR: await newMigratedDataDir(), BOOTSTRAP_TEST_KEY: testKey }
  const first = await startServer(env)
  const client = createClient(`http://127.0.0.1:${first.port}/staging`, testKey)
  receiver.behave('/hook', ...Array.from({ length: events }, () => 'hang' as const), 200)
  expectSuccess(await client.post('/v1/webhooks', { url: receiver.url(), events: ['transfer.success'] }))
  for (let event = 0; event < events; event++) {
    expectSuccess(await client.post('/v1/sandbox/webhooks/trigger', { event: 'transfer.success' }))
  }
  const [sent] = await receiver.received('/hook', 1)
  first.signal('SIGKILL')
  await first.ended
  client.close()
  const second = await startServer(env)
  const database = await openEmbeddedPostgres({ dataDir: env.DATA_DIR, use: 'command' })
  const open = `select count(*)::int as count from webhook_delivery where status <> 'delivered'`
  const [{ count: unrecorded } = { count: 0 }] = await asOwner<{ count: number }>(database, open)
  expect(unrecorded).toBe(events)
  receiver.behave('/hook', 200)
  // Ends the leases of the killed process.
  await asOwner(database, 'update webhook_delivery set due_at = created_at')
  await eventually('all to be delivered', async () => {
    const [row] = await asOwner<{ count: number }>(database, open)
    return row?.count === 0 ? true : undefined
  })
  const again = receiver.at('/hook').filter(({ event }) => event.id === sent?.event.id)
  expect(again).toHaveLength(2)
  expect(again[1]?.body).toBe(sent?.body)
  expect(new Set(receiver.at('/hook').map(({ event }) => event.id)).size).toBe(events)
  await database.release()
  second.signal('SIGTERM')
  expect((await second.ended).code).toBe(0)
})
