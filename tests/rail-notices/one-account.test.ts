// One account at a provider under several names, with several keys, in several processes: a deposit is credited once, and no rail
// goes on with an account that is not its own.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseRailsFile } from '#rails/rails-file.ts'
import { newCustomer } from '#tests/deposits/requests.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { paystackTestKey, startFakePaystack, type FakePaystack } from '#tests/support/fakes/paystack.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startService, type TestService } from '#tests/support/service.ts'

const nextKey = 'sk_test_next'
let clock: FakeClock
let fake: FakePaystack
let database: TestDatabase
const running: TestService[] = []

beforeEach(async () => {
  clock = createFakeClock()
  fake = await startFakePaystack(clock)
  database = await createTestDatabase()
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop()
  await fake.close()
  await database.drop()
})

async function start(name: string, changes: Record<string, unknown> = {}): Promise<TestService> {
  const common = { kind: 'paystack', environment: 'staging', emailDomain: 'pay.example.com', baseUrl: fake.url }
  const routes = { staging: { NGN: { 'virtualAccounts.static': [{ rail: name }], payout: [{ rail: name }] } } }
  const rails = { [name]: { ...common, secretKey: paystackTestKey, ...changes } }
  const config = { rails: parseRailsFile(JSON.stringify({ rails, routes }), {}) }
  const service = await startService({ clock, database, config })
  running.push(service)
  return service
}

async function stop(service: TestService): Promise<void> {
  running.splice(running.indexOf(service), 1)
  await service.stop()
}

async function newAccount({ staging }: TestService): Promise<string> {
  const { reference } = await newCustomer(staging, { phoneNumber: '+2348030000000' })
  const account = expectSuccess(await staging.post('/v1/virtual-accounts/static', { customerReference: reference }))
  return account.accountNumber
}

/** Makes money that the provider has and lists. */
function arrive(accountNumber: string): string {
  const reference = 'T-1'
  const id = '90000000000000017'
  fake.pay({ reference, id, amount: 250_000, accountNumber })
  fake.lists.transaction({ reference, id, amount: 250_000, accountNumber })
  return reference
}

async function tell({ url }: TestService, name: string, reference: string): Promise<number> {
  const { headers, rawBody } = fake.sign(
    JSON.stringify({ event: 'charge.success', data: { channel: 'dedicated_nuban', reference, door: name, url } }),
  )
  const provider = createClient(url)
  const options = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: rawBody }
  const { status } = await provider.call(`/staging/rails/${name}/notices`, options)
  provider.close()
  return status
}

const stops = () =>
  asOwner<{ rail: string; why: string }>(database, 'select rail, reason as why from brake where rail is not null')
const deposits = () =>
  asOwner(
    database,
    'select d.provider, d.status, v.rail from deposit d join virtual_account v using (lane, account_number)',
  )

/** Runs both loops of reconciliation until they find nothing more. */
async function reconcile(): Promise<void> {
  const untilMs = clock.now() + 600_000
  await untilHolds(async () => {
    clock.advance(60_000)
    const rows = await asOwner(database, "select 1 from rail_check where loop = 'near' and proved_until >= $1", [
      new Date(untilMs),
    ])
    expect(rows).toHaveLength(1)
  })
}

describe('one account under two names', () => {
  it('stops the start of the second process, until it says that it was renamed', async () => {
    await start('paystack')
    await expect(start('paystack-ng')).rejects.toThrow(
      'RAILS_FILE: rails.paystack-ng is the account that this installation knows as paystack. ' +
        'Name the entry paystack again, or add "renamedFrom": "paystack" to it.',
    )
    await expect(start('other', { renamedFrom: 'elsewhere' })).rejects.toThrow('knows as paystack')
    await start('paystack-ng', { renamedFrom: 'paystack' })
  })

  it('credits a deposit once while the two run beside each other, whichever name and address its notice uses', async () => {
    const before = await start('paystack')
    const accountNumber = await newAccount(before)
    const after = await start('paystack-ng', { renamedFrom: 'paystack' })
    const reference = arrive(accountNumber)
    const doors = [
      [before, 'paystack'],
      [after, 'paystack'],
      [after, 'paystack-ng'],
    ] as const
    expect(await Promise.all(doors.map(([service, name]) => tell(service, name, reference)))).toEqual([200, 200, 200])
    expect(await tell(before, 'paystack-ng', reference)).not.toBe(200)
    await untilHolds(async () => {
      clock.advance(1_000)
      expect(await asOwner(database, "select 1 from rail_notice where state <> 'done'")).toEqual([])
    })
    await stop(before)
    await reconcile()
    expect(await deposits()).toEqual([{ provider: 'paystack', status: 'SUCCESSFUL', rail: 'paystack' }])
    const kept = await asOwner(database, 'select rail from rail_notice')
    expect(kept).toEqual([{ rail: 'paystack' }, { rail: 'paystack' }, { rail: 'paystack' }])
    const open = await asOwner(database, 'select kind from review_item union all select kind from rail_break')
    expect(open).toEqual([])
    expect(fake.faults).toEqual([])
  })

  it('finds an unreported deposit by the list of either name, once', async () => {
    const before = await start('paystack')
    const accountNumber = await newAccount(before)
    await reconcile()
    arrive(accountNumber)
    await stop(before)
    await start('paystack-ng', { renamedFrom: 'paystack' })
    await reconcile()
    expect(await deposits()).toEqual([{ provider: 'paystack', status: 'SUCCESSFUL', rail: 'paystack' }])
  })
})

describe('a rail with a new key', () => {
  it('goes on when the key is of the same account', async () => {
    const before = await start('paystack')
    const accountNumber = await newAccount(before)
    await untilHolds(async () => {
      clock.advance(3_600_000)
      const known = await asOwner(database, "select 1 from provider_account where mark = 'paystack integration 900001'")
      expect(known).toHaveLength(1)
    })
    await stop(before)
    fake.rotate(nextKey)
    const after = await start('paystack', { secretKey: nextKey })
    expect(await tell(after, 'paystack', arrive(accountNumber))).toBe(200)
    await untilHolds(async () => {
      clock.advance(60_000)
      expect(await deposits()).toHaveLength(1)
    })
    const marks = await asOwner(database, 'select rail, count(*)::int as marks from provider_account group by rail')
    expect(marks).toEqual([{ rail: 'paystack', marks: 3 }])
    expect(await stops()).toEqual([])
    expect(fake.faults).toEqual([])
  })

  it('is stopped when the key is of another account, and asks that one nothing', async () => {
    const before = await start('paystack')
    const accountNumber = await newAccount(before)
    await untilHolds(async () => {
      clock.advance(3_600_000)
      const known = await asOwner(database, "select 1 from provider_account where mark like 'paystack integration %'")
      expect(known).toHaveLength(1)
    })
    await stop(before)
    fake.rotate(nextKey)
    fake.accounts.integration = 900_002
    const after = await start('paystack', { secretKey: nextKey })
    expect(await tell(after, 'paystack', arrive(accountNumber))).toBe(200)
    const sentence =
      'its key belongs to the account 900002, and not to paystack integration 900001, which it always had'
    await untilHolds(async () => expect(await stops()).toEqual([{ rail: 'paystack', why: sentence }]))
    await untilHolds(async () => {
      clock.advance(60_000)
      const [notice] = await asOwner<{ why: string }>(database, 'select why from rail_notice')
      expect(notice?.why).toContain(sentence)
    })
    expect(await deposits()).toEqual([])
  })

  it('and a new name is stopped as well, when the account is known', async () => {
    const before = await start('paystack')
    await newAccount(before)
    await untilHolds(async () => {
      clock.advance(3_600_000)
      const known = await asOwner(database, "select 1 from provider_account where mark like 'paystack integration %'")
      expect(known).toHaveLength(1)
    })
    await stop(before)
    fake.rotate(nextKey)
    await start('paystack-ng', { secretKey: nextKey })
    const sentence = 'its key belongs to the account 900001, which is known as paystack'
    await untilHolds(async () => {
      clock.advance(60_000)
      expect(await stops()).toEqual([{ rail: 'paystack-ng', why: sentence }])
    })
  })
})
