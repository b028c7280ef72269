// Answers of a bank get lost, and the processes that wait for them die. No payee is paid twice, no transfer fails
// because of a timeout, and the remaining processes find out what happened.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { createForgetfulBank, misfortunes, type ForgetfulBank, type Misfortune } from './forgetful-bank.ts'
import { pass } from './passing-time.ts'
import { expectBooksRight } from './proof.ts'

let clock: FakeClock
let bank: ForgetfulBank
let database: TestDatabase
let service: TestService

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  clock = createFakeClock()
  bank = createForgetfulBank(clock)
  database = await createTestDatabase()
})

afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(processes.splice(0).map((one) => one.stop()))
  await database.drop()
})

const processes: TestService[] = []

/** A process of the service. */
async function start(through?: PostgresProxy): Promise<TestService> {
  const serviceUrl = through?.url ?? database.serviceUrl
  const started = await startService({ database: { ...database, serviceUrl }, clock, rails: { staging: [bank] } })
  processes.push(started)
  return started
}

async function send(misfortune: Misfortune): Promise<void> {
  const { account } = misfortunes[misfortune]
  const body = {
    reference: referenceOf(misfortune),
    amount: 150_000,
    bankSlug: 'guaranty-trust-bank',
    accountNumber: account,
    accountName: 'ADA OBI',
  }
  expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
}

function referenceOf(misfortune: Misfortune): string {
  return `PAYOUT-${misfortunes[misfortune].account}`
}

async function statuses(): Promise<Record<string, string>> {
  const rows = await asOwner<{ reference: string; status: string }>(database, 'select reference, status from payment')
  return Object.fromEntries(rows.map(({ reference, status }) => [reference, status]))
}

const passSeconds = (count: number): Promise<void> => pass({ clock, database }, count)

async function passUntilEnded(): Promise<void> {
  for (let minute = 0; minute < 40; minute += 1) {
    await passSeconds(60)
    if (!Object.values(await statuses()).includes('queued')) return
  }
  throw new Error(`not ended after forty minutes: ${JSON.stringify(await statuses())}`)
}

describe('a bank whose answers are lost', () => {
  it('pays each transfer once, and none fails but for its own word', async () => {
    service = await start()
    const all = Object.keys(misfortunes) as Misfortune[]
    await Promise.all(all.map(send))
    await passSeconds(40)
    expect(await statuses()).toEqual(Object.fromEntries(all.map((one) => [referenceOf(one), 'queued'])))
    await passUntilEnded()
    expect(await statuses()).toEqual(Object.fromEntries(all.map((one) => [referenceOf(one), misfortunes[one].ends])))
    const counts = all.map((one) => [
      one,
      bank.payments(misfortunes[one].account),
      bank.submissions(misfortunes[one].account),
    ])
    expect(counts).toEqual([
      ['taken, answer lost', 1, 1],
      ['taken, the rail throws', 1, 1],
      ['taken and refused later, answer lost', 1, 1],
      ['lost on the way', 1, 2],
      ['never sent', 1, 2],
    ])
    vi.useRealTimers()
    await expectBooksRight(database)
  })
})

describe('a process that is cut off between submission and record', () => {
  it('leaves a transfer that another process finishes without paying again; when it comes back it changes nothing', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    service = await start(proxy)
    bank.onTaken = async () => {
      await proxy.close()
      return { kind: 'succeeded', sessionId: '9'.repeat(30) }
    }
    await send('taken, answer lost')
    await untilHolds(() => expect(bank.payments(misfortunes['taken, answer lost'].account)).toBe(1))
    await passSeconds(5)
    expect(Object.values(await statuses())).toEqual(['queued'])
    await start()
    await passUntilEnded()
    expect(Object.values(await statuses())).toEqual(['SUCCESS'])
    await proxy.open()
    await passSeconds(120)
    expect(Object.values(await statuses())).toEqual(['SUCCESS'])
    expect(bank.submissions(misfortunes['taken, answer lost'].account)).toBe(1)
    vi.useRealTimers()
    await expectBooksRight(database)
    const read = await service.staging.get(`/v1/transfers/${referenceOf('taken, answer lost')}`)
    expect(expectSuccess(read)).toMatchObject({ status: 'SUCCESS', isFinal: true, failureReason: null })
  })

  it('and gets a refusal long after another process learned of the success, moves nothing', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    service = await start(proxy)
    const { promise, resolve } = Promise.withResolvers<{ kind: 'failed'; reason: 'DO_NOT_HONOR' }>()
    bank.onTaken = () => promise
    await send('taken, answer lost')
    await untilHolds(() => expect(bank.payments(misfortunes['taken, answer lost'].account)).toBe(1))
    await proxy.close()
    await start()
    await passUntilEnded()
    await proxy.open()
    resolve({ kind: 'failed', reason: 'DO_NOT_HONOR' })
    await passSeconds(120)
    expect(Object.values(await statuses())).toEqual(['SUCCESS'])
    expect(bank.submissions(misfortunes['taken, answer lost'].account)).toBe(1)
    vi.useRealTimers()
    await expectBooksRight(database)
  })
})
