// An operator ends a payment that was never sent. That is allowed whatever holds the payment back, and the row decides
// against a process that is about to send it.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { createSettleByHand, type ByHand } from '#payments/settle.ts'
import { pausePayouts, stopRail } from '#payments/brakes.ts'
import { paymentInvariants } from '#payments/verify.ts'
import type { PayoutState } from '#rails/rail.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { asOwner } from '#tests/support/owner.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, eventsOf, requestOf, rowOf, until, type Process } from './process.ts'

const { accept, clock, database, pass, rail, start } = await useExecuting()
const day = 86_400
let one: Process
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate brake')
  one = start({ leasesNew: false })
  tenant = await createTenant(one)
})

const person = { kind: 'terminal' as const, name: 'ada@office' }

function settle(process: Process, reference: string, as: ByHand['as'] = 'failed') {
  return createSettleByHand(process.ctx, process.lanes.of)(tenant, { reference, as, note: 'ticket 881', by: person })
}

const reserved = async () => (await balancesOf(one.ctx.db, tenant))['reserved']

async function expectEnded(reference: string): Promise<void> {
  const asked = rail.asked.length
  expect(await settle(one, reference, 'success')).toMatchObject({ kind: 'refused', refusal: 'never-left' })
  expect(await settle(one, reference)).toMatchObject({ kind: 'settled', payment: { status: 'FAILED' } })
  expect(await rowOf(database, reference)).toMatchObject({ status: 'FAILED', due_at: null, submitted_at: null })
  expect(await eventsOf(database, reference)).toEqual(['transfer.failed'])
  expect(await reserved()).toBe(0n)
  await asOwner(database, 'truncate brake')
  pass(day)
  expect(await one.payments.work(tenant.lane)).toBe(0)
  expect(rail.asked).toHaveLength(asked)
}

async function waitForDays(process = one): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    pass(day)
    await process.payments.work(tenant.lane)
  }
}

describe('a payout that never left ends as failed by hand', () => {
  it('before any process has looked at it', async () => {
    await expectEnded(await accept(one, tenant))
  })

  it('while payouts are paused for days', async () => {
    const reference = await accept(one, tenant)
    await pausePayouts(one.ctx, { environment: 'production' })
    await waitForDays()
    await expectEnded(reference)
  })

  it('while its rail is stopped for days', async () => {
    const reference = await accept(one, tenant)
    const { ctx } = one
    await ctx.db.transaction((tx) => stopRail(ctx, tx, { environment: 'production', rail: 'fake', why: 'a test' }))
    await waitForDays()
    await expectEnded(reference)
  })

  it.each(['misconfigured', 'float', 'resting'] as const)('while its rail answers %s, all the time', async (why) => {
    const reference = await accept(one, tenant)
    rail.onSubmit = () => ({ kind: 'unknown', detail: 'refused', sent: false, askAgainAfterMs: 5_000, why })
    await one.payments.work(tenant.lane)
    await until(async () => (await rowOf(database, reference)).submitted_at === null, 'it is rescheduled')
    await expectEnded(reference)
  })

  it('without a rail', async () => {
    const reference = await accept(one, tenant)
    await start({ leasesNew: false, rail: undefined }).payments.work(tenant.lane)
    await expectEnded(reference)
  })
})

describe('a payout that was submitted once, and whose outcome stayed unclear', () => {
  const minute = 60

  /**
   * The rail has not shown the payment for the grace period, so it waits to be sent there again; payouts are paused by
   * then.
   */
  async function unclearAndPaused(): Promise<string> {
    const reference = await accept(one, tenant)
    rail.onSubmit = () => ({ kind: 'unknown', detail: 'no answer' })
    rail.onStatus = () => ({ kind: 'not-found' })
    await one.payments.work(tenant.lane)
    await until(() => rail.asked.length === 1, 'it is submitted')
    await pausePayouts(one.ctx, { environment: 'production' })
    for (let turn = 0; turn < 30; turn++) {
      pass(minute)
      await one.payments.work(tenant.lane)
    }
    expect(await rowOf(database, reference)).toMatchObject({ submitted_at: null, submission_answer: 'unclear' })
    return reference
  }

  it('is not ended as one that never left, because the first submission may have been paid', async () => {
    const reference = await unclearAndPaused()
    expect(await settle(one, reference)).toMatchObject({ kind: 'refused', refusal: 'unclear' })
    expect(await settle(one, reference, 'success')).toMatchObject({ kind: 'refused', refusal: 'unclear' })
    expect(await rowOf(database, reference)).toMatchObject({ status: 'queued' })
    expect(await reserved()).toBeGreaterThan(0n)
  })

  it.each([
    ['failed', 'FAILED'],
    ['success', 'SUCCESS'],
  ] as const)('ends as %s by the word of its provider when it is a day old', async (as, status) => {
    const reference = await unclearAndPaused()
    pass(day)
    expect(await settle(one, reference, as)).toMatchObject({ kind: 'settled', payment: { status } })
    expect(await reserved()).toBe(0n)
  })
})

describe('against a process that is about to send it', () => {
  it('a person is refused from the claim on, also while the accepting process sends it', async () => {
    const answer = Promise.withResolvers<PayoutState>()
    rail.onSubmit = () => answer.promise
    const claimed = await accept(one, tenant)
    const working = one.payments.work(tenant.lane)
    await until(() => rail.asked.length === 1, 'it is submitted')
    expect(await settle(start({ leasesNew: false }), claimed)).toMatchObject({ kind: 'refused', refusal: 'leased' })
    const born = await accept(start(), tenant)
    await until(() => rail.asked.length === 2, 'the other one is submitted')
    expect(await settle(one, born)).toMatchObject({ kind: 'refused', refusal: 'leased' })
    answer.resolve(succeeded)
    await working
    for (const reference of [claimed, born])
      await until(async () => (await rowOf(database, reference)).status === 'SUCCESS', 'it is paid')
  })

  it('the claim passes over what a person is ending', async () => {
    const reference = await accept(one, tenant)
    const ending = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = one.ctx.db.transaction(async (tx) => {
      await tx.query({ name: 'test.lock', text: `select 1 from payment where lane = ${tenant.lane} for update` })
      locked.resolve()
      await ending.promise
    }, tenant.lane)
    await locked.promise
    expect(await one.payments.work(tenant.lane)).toBe(0)
    ending.resolve()
    await holding
    await expectEnded(reference)
  })

  it('one of the two wins, however close they are', async () => {
    const requests = Array.from({ length: 120 }, () => requestOf({ amount: toMoney(1_000) }))
    rail.onSubmit = () => succeeded
    const worker = start({ leasesNew: false })
    await one.payments.initiateMany(tenant, requests)
    const words = requests.map(({ reference }) => settle(one, reference))
    const turns = [worker.payments.work(tenant.lane), one.payments.work(tenant.lane)]
    const outcomes = await Promise.all(words)
    await Promise.all(turns)
    while ((await worker.payments.work(tenant.lane)) > 0);
    const paid = new Set(rail.asked.map(({ order }) => order.railReference))
    expect(paid.size).toBe(rail.asked.length)
    await until(async () => (await reserved()) === 0n, 'all have ended')
    for (const [index, { reference }] of requests.entries()) {
      const { status } = await rowOf(database, reference)
      const events = status === 'FAILED' ? ['transfer.failed'] : ['transfer.success']
      expect([outcomes[index]?.kind === 'settled', await eventsOf(database, reference)]).toEqual([
        status === 'FAILED',
        events,
      ])
    }
    const won = outcomes.filter(({ kind }) => kind === 'settled').length
    expect(rail.asked).toHaveLength(requests.length - won)
    const found = await verifyLedger(one.ctx, { invariants: [...ledgerInvariants, ...paymentInvariants] })
    expect(found.filter(({ tenantId }) => tenantId === tenant.id)).toEqual([])
  })

  it('a holder whose lease is over has its word refused', async () => {
    const answer = Promise.withResolvers<PayoutState>()
    rail.onSubmit = () => answer.promise
    const reference = await accept(one, tenant)
    const late = start({ leasesNew: false })
    const working = late.payments.work(tenant.lane)
    await until(() => rail.asked.length === 1, 'it is submitted')
    clock.advance(60_000)
    // Another process whose rail had no room would write this.
    await asOwner(database, 'update payment set submitted_at = null, due_at = $2 where reference = $1', [
      reference,
      new Date(clock.now() + 60_000),
    ])
    expect(await settle(one, reference)).toMatchObject({ kind: 'settled' })
    answer.resolve({ kind: 'unknown', detail: 'no connection', sent: false })
    await working
    expect(await rowOf(database, reference)).toMatchObject({ status: 'FAILED', due_at: null })
  })
})
