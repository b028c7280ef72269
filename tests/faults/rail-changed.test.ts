// An operator gives an environment another rail while payments are at the old one. The new rail says truthfully that it
// does not know them; no payee is paid a second time.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Rail } from '#rails/rail.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { expectSuccess, type Answer } from '#tests/support/client.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { createForgetfulBank, misfortunes, type ForgetfulBank } from './forgetful-bank.ts'
import { pass, usualStepMs } from './passing-time.ts'
import { expectBooksRight } from './proof.ts'

const { account } = misfortunes['taken, answer lost']

let clock: FakeClock
let before: ForgetfulBank
let after: ForgetfulBank
let database: TestDatabase
let service: TestService | undefined

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  clock = createFakeClock()
  before = createForgetfulBank(clock, 'before')
  after = createForgetfulBank(clock, 'after')
  database = await createTestDatabase()
})

afterEach(async () => {
  vi.useRealTimers()
  await service?.stop()
  await database.drop()
})

async function restart(...rails: Rail[]): Promise<TestService> {
  await service?.stop()
  service = await startService({ database, clock, rails: { staging: rails } })
  return service
}

type Row = { status: string; rail: string; submitted_at: Date | null }

async function row(): Promise<Row | undefined> {
  return (await asOwner<Row>(database, 'select status, rail, submitted_at from payment'))[0]
}

const passMinutes = (count: number): Promise<void> => pass({ clock, database }, count * 60)

/** All work ends in this time, unless a step is too slow. */
const minutesOfSteps = 20

/**
 * Passes time minute by minute. A session must begin within five seconds of that time, so the steps get shorter if the
 * machine is too busy for that.
 */
async function passUntil(check: () => Promise<void>): Promise<void> {
  let minutes = 0
  await untilHolds(async () => {
    await pass({ clock, database }, 60, usualStepMs / 2 ** Math.floor(minutes / minutesOfSteps))
    minutes += 1
    await check()
  })
}

async function send(): Promise<void> {
  const body = { reference: 'PAYOUT-1', amount: 150_000, bankSlug: 'guaranty-trust-bank', accountNumber: account }
  const answer = await service?.staging.post('/v1/transfers/initiate', { ...body, accountName: 'ADA OBI' })
  expectSuccess(answer as Answer)
}

/** The bank takes the payment and pays, and its answer is lost. */
async function sendThrough(rail: Rail): Promise<void> {
  await restart(rail)
  await send()
  await untilHolds(() => expect(before.payments(account)).toBe(1))
}

const withoutRail = async (): Promise<number> =>
  (await service?.ctx.metrics.paymentsWithoutRail.get())?.values[0]?.value ?? 0

describe('a rail that is replaced while its answer is awaited', () => {
  it('is still the only one that the payment goes to: it waits, is reported, and no payee is paid twice', async () => {
    await sendThrough(before)
    await restart(after)
    await passMinutes(15)
    expect([before.payments(account), after.submissions(account)]).toEqual([1, 0])
    expect(await row()).toMatchObject({ status: 'queued', rail: 'before', submitted_at: expect.any(Date) })
    expect(await withoutRail()).toBeGreaterThan(0)
    const reported = await asOwner(database, `select fact from review_item where kind = 'payment-without-rail'`)
    expect(reported).toEqual([{ fact: expect.stringContaining('its rail before, or') }])
  })

  it('reports the outcome when it is back, beside the new one that takes new payments', async () => {
    await sendThrough(before)
    await restart(after)
    await passMinutes(2)
    await restart(after, before)
    await passUntil(async () => expect(await row()).toMatchObject({ status: 'SUCCESS', rail: 'before' }))
    await passMinutes(15)
    expect(await row()).toMatchObject({ status: 'SUCCESS', rail: 'before' })
    expect([before.submissions(account), after.submissions(account)]).toEqual([1, 0])
    vi.useRealTimers()
    await expectBooksRight(database)
  })

  it('is what a payment waits for that was never sent: it counts as unsent, and is sent there once', async () => {
    await sendThrough(before)
    // Leaves the row as a process does that has no worker role or no room for it.
    await service?.stop()
    await asOwner(database, "update payment set submitted_at = null, reference = 'UNSENT', id = gen_random_uuid()")
    await restart(after)
    clock.advance(6 * 60_000)
    await untilHolds(async () => {
      // Runs the loop; a lease ends only where the process gave the payment back.
      clock.advance(100)
      vi.advanceTimersByTime(100)
      expect(await withoutRail()).toBeGreaterThan(0)
      expect(await row()).toMatchObject({ status: 'queued', submitted_at: null })
    })
    await restart(after, before)
    const expectSentOnce = () => expect([before.payments(account), after.submissions(account)]).toEqual([2, 0])
    await passUntil(async () => expectSentOnce())
    await passMinutes(60)
    expectSentOnce()
  })
})

describe('a payment of a version that did not note the rail', () => {
  const forgetRail = async (more: string): Promise<void> => {
    await sendThrough(before)
    await service?.stop()
    await asOwner(database, `update payment set rail = ''${more}`)
  }

  it('is not sent to the rail of today when that does not know it: another one may have it', async () => {
    await forgetRail('')
    await restart(after)
    await passMinutes(90)
    expect([before.payments(account), after.submissions(account)]).toEqual([1, 0])
    expect(await row()).toMatchObject({ status: 'queued', submitted_at: expect.any(Date) })
  })

  it('ends when the rail of today knows it', async () => {
    await forgetRail('')
    await restart(before)
    await passUntil(async () => expect((await row())?.status).toBe('SUCCESS'))
  })

  it('is sent to the rail of today when it was never sent anywhere', async () => {
    await forgetRail(', submitted_at = null')
    await restart(after)
    await passUntil(async () => expect((await row())?.status).toBe('SUCCESS'))
    expect(after.submissions(account)).toBe(1)
  })
})
