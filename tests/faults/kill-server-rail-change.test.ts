// A payment goes from a rail that has no money for it to the next one. The server is killed at each call on the way:
// before the call arrived, and before the server had the answer. Each payment is paid once, by the second rail.

import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { startServer } from '#tests/cli/support.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { createClient } from '#tests/support/client.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import type { Running } from '#tests/support/launch.ts'
import { asOwner } from '#tests/support/owner.ts'
import { patienceMs, untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { startService, testSecretKey } from '#tests/support/service.ts'
import { expectBooksRight } from './proof.ts'
import { startStrikingProxy } from './striking-proxy.ts'
import { passTime, type Reached } from './struck.ts'

const database = await useTestDatabase()
const fakes = { first: await startFakePaystack(), second: await startFakePaystack(systemClock, 'sk_test_second') }
const proxies = {
  first: await startStrikingProxy(fakes.first.url),
  second: await startStrikingProxy(fakes.second.url),
}
afterAll(() => Promise.all([...Object.values(proxies), ...Object.values(fakes)].map((one) => one.close())))

const file = path.join(await newFolder('rails'), 'rails.json')
const rail = { kind: 'paystack', environment: 'staging', secretKey: paystackTestKey }
await writeFile(
  file,
  JSON.stringify({
    rails: {
      first: { ...rail, baseUrl: proxies.first.url },
      second: { ...rail, secretKey: 'sk_test_second', baseUrl: proxies.second.url },
    },
    routes: { staging: { NGN: { payout: [{ rail: 'first' }, { rail: 'second', weight: 0 }] } } },
  }),
)
await chmod(file, 0o600)

const steps = [
  ['first', /^POST \/transferrecipient$/],
  ['first', /^POST \/transfer$/],
  ['second', /^GET \/balance$/],
  ['second', /^POST \/transferrecipient$/],
  ['second', /^POST \/transfer$/],
] as const
const strikes = steps.flatMap(([at, call]) => (['before', 'after'] as const).map((when) => ({ at, call, when })))

async function reached(): Promise<Reached> {
  const rows = await asOwner<{ account: string }>(database, 'select distinct account_number as account from payment')
  const have = (account: string): boolean =>
    fakes.first.transfersTo(account).length + fakes.second.transfersTo(account).length > 0
  return { accounts: rows.map(({ account }) => account).filter(have), refunds: [] }
}

it('is paid once, by the rail that it went on to', { timeout: strikes.length * patienceMs }, async () => {
  const before = await startService({ database, settings: { RAILS_FILE: file }, roles: ['api'] })
  await before.stop()
  for (const [number, { at, call, when }] of strikes.entries()) {
    const accountNumber = String(1_000_000_000 + number)
    fakes.first.script(accountNumber, { submit: Array.from({ length: 50 }, () => 'no-money' as const) })
    const server = await start()
    const client = createClient(`http://127.0.0.1:${server.port}/staging`, before.testKey)
    const struck = proxies[at].arm(call, when, { strike: () => server.signal('SIGKILL') })
    // The caller may get no answer, because the server is dead by then.
    await Promise.all([struck, client.post('/v1/transfers/initiate', transferBody({ accountNumber })).catch(() => {})])
    expect((await server.ended).signal).toBe('SIGKILL')
    client.close()
    await passTime(database, await reached())
  }
  // A payout whose submission to the first rail stayed unclear is bound to that rail, which can pay again.
  for (const number of strikes.keys()) fakes.first.script(String(1_000_000_000 + number), {})
  await asOwner(database, "update payment set due_at = now() where status = 'queued'")
  const last = await start()
  await untilHolds(async () =>
    expect(await asOwner(database, "select 1 from payment where status = 'queued'")).toEqual([]),
  )
  const paid = await asOwner<Paid>(
    database,
    `select p.account_number, p.status, p.rail, p.attempts, array_agg(a.rail) as left
       from payment p left join rail_attempt a on a.payment_id = p.id group by 1, 2, 3, 4`,
  )
  expect(paid.length).toBeGreaterThan(strikes.length / 2)
  for (const { account_number: account, ...one } of paid) {
    const moved = { status: 'SUCCESS', rail: 'second', attempts: 2, left: ['first'] }
    const stayed = { status: 'SUCCESS', rail: 'first', attempts: 1, left: [null] }
    const isMoved = one.rail === 'second'
    expect(one).toEqual(isMoved ? moved : stayed)
    const times = [fakes.first.transfersTo(account).length, fakes.second.transfersTo(account).length]
    expect(times).toEqual(isMoved ? [0, 1] : [1, 0])
  }
  expect(await asOwner(database, 'select 1 from payment')).toHaveLength(paid.length)
  const { first, second } = fakes
  expect([first.faults, second.faults, first.repeats, second.repeats]).toEqual([[], [], [], []])
  await expectBooksRight(database)
  last.signal('SIGTERM')
  expect(await last.ended).toMatchObject({ code: 0 })
})

type Paid = { account_number: string; status: string; rail: string; attempts: number; left: (string | null)[] }

function start(): Promise<Running & { port: number }> {
  const secrets = { DATABASE_URL: database.serviceUrl, SECRET_KEY: testSecretKey.toString('base64') }
  return startServer({ ...secrets, RAILS_FILE: file, DASHBOARD: 'off' })
}
