// Three processes, one lane, and everything at once: transfers, collections and their codes, completions, webhooks that
// fail, payments that processes give back, loops that claim. PostgreSQL counts the deadlocks; each would stall the lane
// for about a second.

import { expect, it } from 'vitest'
import { expectSuccess, createClient, type Client } from '#tests/support/client.ts'
import { createTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { collectBody, phones, rightCode, untilMomo } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

const processes = 3
const tenants = 2
const clientsEach = 4
const roundsEach = 6
const closedPort = 'http://127.0.0.1:9/hook'

it('processes that share a lane wait for each other in line, and never in a circle', async () => {
  const database = await createTestDatabase()
  const common = {
    database,
    secretKey: Buffer.alloc(32, 5),
    settings: { SANDBOX_SETTLE_MS: '30', LOG_LEVEL: 'silent' },
  }
  const services: TestService[] = []
  for (let index = 0; index < processes; index++) services.push(await startService(common))
  const keys = services.slice(0, tenants).map(({ testKey }) => testKey)
  // Each process serves all of these businesses.
  const clients = services.map(({ url }) => keys.map((key) => createClient(`${url}/staging`, key)))
  for (const client of clients[0] ?? []) await subscribe(client)

  const rounds = clients.flatMap((here, index) =>
    here.flatMap((client, tenant) => {
      const elsewhere = clients[(index + 1) % processes]?.[tenant] ?? client
      return Array.from({ length: clientsEach }, () => trade(client, elsewhere))
    }),
  )
  const statuses = (await Promise.all(rounds)).flat()
  clients.flat().forEach((client) => client.close())
  // A session reports its counts when it ends, if not before.
  for (const service of services) await service.stop()
  const [count] = await asOwner<{ deadlocks: string }>(
    database,
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  await database.drop()
  expect(count?.deadlocks).toBe('0')
  expect(statuses.filter((status) => status !== 200)).toEqual([])
})

async function subscribe(client: Client): Promise<void> {
  const events = ['transfer.success', 'momo.collection.success', 'momo.collection.failed']
  expectSuccess(await client.post('/v1/webhooks', { url: closedPort, events }))
}

/** One customer after the other; the second process continues what the first one began. */
async function trade(here: Client, elsewhere: Client): Promise<number[]> {
  const statuses: number[] = []
  const call = async (by: Client, path: string, body: unknown): Promise<void> => {
    statuses.push((await by.post(path, body)).status)
  }
  for (let round = 0; round < roundsEach; round++) {
    const collection = collectBody({ phoneNumber: phones.otp })
    const open = transferBody({ accountNumber: neverEnding })
    await Promise.all([
      call(here, '/v1/transfers/initiate', transferBody()),
      call(here, '/v1/transfers/initiate', open),
      call(elsewhere, '/v1/momo/collection', collection),
    ])
    await untilMomo(elsewhere, 'collection', String(collection['reference']), 'OTP_REQUIRED')
    const code = { reference: collection['reference'], otp: rightCode }
    await Promise.all([
      call(here, '/v1/momo/collection/verify-otp', code),
      call(elsewhere, `/v1/sandbox/transfers/${String(open['reference'])}/complete`, { status: 'SUCCESS' }),
      call(elsewhere, '/v1/sandbox/balance/fund', { amount: 100 }),
    ])
  }
  return statuses
}
