// The server is killed at each call to a provider, before the call arrived and before the server had the answer: in the
// middle of a payout, of incoming money, and of its return. Each is done once.

import { afterAll, expect, it } from 'vitest'
import { newCustomer } from '#tests/deposits/requests.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { createClient, expectSuccess, type Client } from '#tests/support/client.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { asOwner } from '#tests/support/owner.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { startService } from '#tests/support/service.ts'
import { expectBooksRight } from './proof.ts'
import { startStrikingProxy } from './striking-proxy.ts'
import { passTime, startWith, untilFinished, untilStruck, writeRailsFile, type Reached } from './struck.ts'

const database = await useTestDatabase()
const fake = await startFakePaystack()
const proxy = await startStrikingProxy(fake.url)
afterAll(() => Promise.all([proxy.close(), fake.close()]))

const rail = { kind: 'paystack', environment: 'staging', secretKey: paystackTestKey, baseUrl: proxy.url }
const file = await writeRailsFile({
  rails: { paystack: { ...rail, emailDomain: 'pay.example.com' } },
  routes: { staging: { NGN: { payout: [{ rail: 'paystack' }], 'virtualAccounts.static': [{ rail: 'paystack' }] } } },
})

/**
 * `armed`: the kill is set up before the work begins, or else after it has begun, because earlier work makes the same
 * call.
 */
const steps = [
  { work: 'payout', call: /^POST \/transferrecipient$/, armed: true },
  { work: 'payout', call: /^POST \/transfer$/, armed: true },
  { work: 'payout', call: /^GET \/transfer\/verify\//, armed: false },
  { work: 'money', call: /^GET \/transaction\/verify\//, armed: true },
  { work: 'money', call: /^POST \/refund$/, armed: true },
  { work: 'money', call: /^GET \/refund$/, armed: false },
] as const
const strikes = steps.flatMap((step) => (['before', 'after'] as const).map((when) => ({ ...step, when })))

it('pays out once, takes in once and sends back once', { timeout: strikes.length * patienceMs }, async () => {
  const { key, accountNumber } = await prepare()
  /** Requests without an answer are sent again, because the server was dead. */
  const unheard: ((client: Client) => Promise<void>)[] = []
  for (const [number, { work, call, when, armed }] of strikes.entries()) {
    const server = await startWith(database, file)
    const client = createClient(`http://127.0.0.1:${server.port}/staging`, key)
    const strike = () => proxy.arm(call, when, { strike: () => server.signal('SIGKILL') })
    const ask = work === 'payout' ? payOut(number) : payIn(number, accountNumber)
    const begin = () => ask(client).catch(() => void unheard.push(ask))
    if (armed) await Promise.all([strike(), begin()])
    else await begin().then(() => untilStruck(database, strike()))
    expect((await server.ended).signal).toBe('SIGKILL')
    client.close()
    await passTime(database, await reached())
  }
  const last = await startWith(database, file)
  const client = createClient(`http://127.0.0.1:${last.port}/staging`, key)
  for (const ask of unheard) await ask(client)
  client.close()
  await untilFinished(database)
  const paid = await asOwner<{ account_number: string }>(database, 'select account_number from payment')
  expect(paid).toHaveLength(strikes.length / 2)
  expect(paid.map((row) => fake.transfersTo(row.account_number).length)).toEqual(paid.map(() => 1))
  const came = await asOwner<{ provider_id: string }>(database, 'select provider_id from deposit')
  expect(came).toHaveLength(strikes.length / 2)
  const sentBack = fake.refunds.made().map(({ transaction }) => transaction)
  expect(sentBack.toSorted()).toEqual(came.map((row) => row.provider_id).toSorted())
  expect([fake.faults, fake.repeats]).toEqual([[], []])
  await expectBooksRight(database)
  last.signal('SIGTERM')
  expect(await last.ended).toMatchObject({ code: 0 })
})

async function reached(): Promise<Reached> {
  const rows = await asOwner<{ account: string }>(database, 'select distinct account_number as account from payment')
  const accounts = rows.map(({ account }) => account).filter((account) => fake.transfersTo(account).length > 0)
  return { accounts, refunds: fake.refunds.made().map(({ transaction }) => transaction) }
}

/** Makes a closed account of a customer: money that comes there goes back. */
async function prepare(): Promise<{ key: string; accountNumber: string }> {
  const before = await startService({ database, settings: { RAILS_FILE: file }, roles: ['api'] })
  const { reference: customerReference } = await newCustomer(before.staging, { phoneNumber: '+2348030000000' })
  const opened = await before.staging.post('/v1/virtual-accounts/static', { customerReference })
  const { accountNumber } = expectSuccess(opened) as { accountNumber: string }
  expectSuccess(await before.staging.delete(`/v1/virtual-accounts/${accountNumber}`))
  await before.stop()
  return { key: before.testKey, accountNumber }
}

function payOut(number: number): (client: Client) => Promise<void> {
  const body = transferBody({ accountNumber: String(1_000_000_000 + number) })
  return async (client) => void expectSuccess(await client.post('/v1/transfers/initiate', body))
}

function payIn(number: number, accountNumber: string): (client: Client) => Promise<void> {
  const reference = `T-${number}`
  fake.pay({ id: String(900_000 + number), reference, amount: 250_000, accountNumber, paidAtMs: Date.now() })
  const data = { channel: 'dedicated_nuban', reference }
  const { headers, rawBody: body } = fake.sign(JSON.stringify({ event: 'charge.success', data }))
  return async (client) => {
    const { status } = await client.call('/rails/paystack/notices', { method: 'POST', headers, body })
    expect(status).toBe(200)
  }
}
