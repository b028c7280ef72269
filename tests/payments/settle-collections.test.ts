// Settles collections without an executor: which become deposits, which stay in progress, and what codes change.

import { beforeEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import type { Environment, Tenant } from '#platform/context.ts'
import { amountMax, toMoney } from '#platform/money.ts'
import { inLane } from '#platform/db/db.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import type { Draft, Result } from '#payments/payment.ts'
import { findPayments } from '#payments/queries.ts'
import { railIsMissing } from '#payments/review-items.ts'
import { raiseReviewItem } from '#review/review-queue.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { recount } from '#tests/stats/recount.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling, type Kept } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
const succeeded: Result = { kind: 'succeeded', operatorReference: 'M-1' }
const failed: Result = { kind: 'failed', reason: 'PAYMENT_NOT_APPROVED' }
let room: Awaited<ReturnType<typeof open>>
let tenant: Tenant
let other: Tenant

beforeEach(async () => {
  room = await open()
  ;[tenant, other] = room.tenants
})

type Wanted = Partial<Extract<Draft, { kind: 'momo_collection' }>>

async function collect(owner: Tenant, reference: string, draft: Wanted = {}): Promise<string> {
  const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null, narration: null }
  const asked = { ...wallet, approval: { kind: 'handset' as const }, amount: toMoney(50_000), ...draft, reference }
  const whole = { kind: 'momo_collection' as const, currency: 'NGN' as const, metadata: null, ...asked }
  return (await room.accept(owner, reference, { draft: whole, fee: toMoney(500) })).kind
}

const payOut = async (reference: string): Promise<string> => (await room.accept(tenant, reference)).kind

const settle = async (reference: string, result: Result, owner = tenant): Promise<string> =>
  (await room.settle(owner, reference, { result })).kind

const depositsOf = ({ id }: Tenant) =>
  asOwner(
    database,
    `select ordinal::int, amount::int, fee::int, sender_account_name as name, sender_account_number as number,
            sender_bank_name as bank, narration
       from deposit where tenant_id = $1 order by ordinal`,
    [id],
  )

describe('collections that succeed', () => {
  it('become deposits in the order of their tenants, with who paid and why, beside whatever else ends then', async () => {
    await collect(tenant, 'C-1', { customerName: 'ADA OBI', narration: 'rent' })
    await collect(tenant, 'C-2')
    await collect(other, 'C-1', { amount: toMoney(70_000) })
    await payOut('T-1')
    await Promise.all([
      settle('T-1', { kind: 'failed', reason: 'DO_NOT_HONOR' }),
      settle('C-1', succeeded),
      settle('C-1', succeeded, other),
    ])
    // This is the only collection of its batch, and not the first of its tenant.
    await payOut('T-2')
    await Promise.all([settle('T-2', { kind: 'failed', reason: 'DO_NOT_HONOR' }), settle('C-2', succeeded)])
    expect(await settle('C-3', succeeded)).toBe('not-found')
    expect(await settle('C-2', succeeded, other)).toBe('not-found')
    const wallet = { fee: 500, number: '+2348030000000', bank: 'MTN MoMo PSB' }
    expect(await depositsOf(tenant)).toEqual([
      { ...wallet, ordinal: 1, amount: 50_000, name: 'ADA OBI', narration: 'rent' },
      { ...wallet, ordinal: 2, amount: 50_000, name: '+2348030000000', narration: '' },
    ])
    expect(await depositsOf(other)).toMatchObject([{ ordinal: 1, amount: 70_000 }])
    expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: 10_099_000n, reserved: 0n })
    expect(await balancesOf(ctx.db, other)).toMatchObject({ available: 10_069_500n })
  })

  it('change nothing when they are said to have succeeded again', async () => {
    await collect(tenant, 'C-1')
    await Promise.all([settle('C-1', succeeded), settle('C-1', succeeded)])
    expect(await settle('C-1', succeeded)).toBe('unchanged')
    expect(await settle('C-1', { kind: 'reversed' })).toBe('impossible')
    // A code that comes too late moves no money, so it raises no review item.
    const source = { kind: 'rail' as const, environment: 'production' as const, rail: 'a' }
    expect((await room.settle(tenant, 'C-1', { result: { kind: 'otp-tried' }, source })).kind).toBe('impossible')
    expect(await asOwner(database, 'select 1 from review_item where tenant_id = $1', [tenant.id])).toEqual([])
    expect(await depositsOf(tenant)).toHaveLength(1)
  })
})

describe('a collection that ended by its time', () => {
  const expired: Result = { kind: 'failed', reason: 'EXPIRED', lookAgainMs: 60_000 }
  const byRail = (environment: Environment) => ({ kind: 'rail' as const, environment, rail: 'a' })
  const paid = async (reference: string) =>
    (await room.settle(tenant, reference, { result: succeeded, source: byRail('production') })).kind
  const itemsOf = () => asOwner(database, 'select kind, note from review_item where tenant_id = $1', [tenant.id])

  it('is paid once when its operator has the money after all, and has both events', async () => {
    await collect(tenant, 'C-1')
    await settle('C-1', expired)
    const expiredAt = new Date(clock.now())
    expect(await room.rows(tenant)).toMatchObject([{ status: 'FAILED', due_at: new Date(clock.now() + 60_000) }])
    clock.advance(3_600_000)
    expect(await Promise.all([paid('C-1'), paid('C-1')])).toEqual(['settled', 'unchanged'])
    expect(await paid('C-1')).toBe('unchanged')
    expect(await room.rows(tenant)).toMatchObject([
      { status: 'SUCCESS', due_at: null, failure_reason: null, expired_at: expiredAt, expired_as: 'EXPIRED' },
    ])
    expect(await depositsOf(tenant)).toMatchObject([{ amount: 50_000, fee: 500, number: '+2348030000000' }])
    expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: 10_049_500n })
    const told = await asOwner<{ name: string }>(
      database,
      'select name from event where tenant_id = $1 order by created_at',
      [tenant.id],
    )
    expect(told.map(({ name }) => name)).toEqual(['momo.collection.failed', 'momo.collection.success'])
    expect(await itemsOf()).toEqual([])
    const breaches = await verifyLedger(ctx, { invariants: paymentInvariants, rowsPerPage: 100 })
    expect(breaches.filter(({ tenantId }) => tenantId === tenant.id)).toEqual([])
    const figures = await recount(database)
    expect(figures.found).toEqual(figures.wanted)
  })

  it('is paid in the batch in which it expired', async () => {
    await collect(tenant, 'C-1')
    await Promise.all([settle('C-1', expired), paid('C-1')])
    expect(await room.rows(tenant)).toMatchObject([{ status: 'SUCCESS', due_at: null, expired_as: 'EXPIRED' }])
    expect(await depositsOf(tenant)).toHaveLength(1)
  })

  it('waits with its money until the books have room for it', async () => {
    await collect(tenant, 'C-1')
    await settle('C-1', expired)
    await collect(tenant, 'all', { amount: toMoney(amountMax - 10_000_000n) })
    expect(await paid('C-1')).toBe('no-room')
    expect(await itemsOf()).toEqual([{ kind: 'return-without-room', note: null }])
    await settle('all', failed)
    expect(await paid('C-1')).toBe('settled')
    expect(await itemsOf()).toEqual([{ kind: 'return-without-room', note: 'it became SUCCESS' }])
  })

  it('stays so for a tester, and one that its operator refused stays so for anyone', async () => {
    await collect(tenant, 'C-1')
    await settle('C-1', expired)
    expect(await settle('C-1', succeeded)).toBe('impossible')
    await collect(tenant, 'C-2')
    await settle('C-2', failed)
    expect(await paid('C-2')).toBe('impossible')
    expect(await itemsOf()).toEqual([{ kind: 'payment-contradicted', note: null }])
    expect(await depositsOf(tenant)).toEqual([])
  })
})

it('a collection that fails gives nothing back to the limit of payouts', async () => {
  await setLimits(ctx, tenant, { perDay: toMoney(1_000_000) })
  await payOut('T-1')
  await collect(tenant, 'C-1')
  await settle('C-1', failed)
  expect((await showLimits(ctx, tenant)).left).toBe(900_000n)
})

describe('the room that the books have', () => {
  const byCode = { approval: { kind: 'otp' as const, validMs: 600_000 } }
  /** The largest amount that still fits beside the tenant's balance. */
  const rest = amountMax - 10_000_000n
  let asked = 0
  const one = () => collect(tenant, `small-${(asked += 1)}`, { amount: toMoney(1) })

  it('is taken by a collection under way, to the kobo, until that has failed', async () => {
    expect(await collect(tenant, 'more', { amount: toMoney(rest + 1n) })).toBe('too-much')
    expect(await collect(tenant, 'all', { ...byCode, amount: toMoney(rest) })).toBe('accepted')
    expect(await one()).toBe('too-much')
    expect(await settle('all', { kind: 'otp-tried' })).toBe('settled')
    expect(await settle('all', { kind: 'otp-wrong' })).toBe('settled')
    expect(await one()).toBe('too-much')
    // A failed payout counted as reserved all the time.
    expect(await payOut('T-1')).toBe('accepted')
    expect(await one()).toBe('too-much')
    expect(await settle('T-1', { kind: 'failed', reason: 'DO_NOT_HONOR' })).toBe('settled')
    expect(await one()).toBe('too-much')
    expect(await settle('all', failed)).toBe('settled')
    expect(await collect(tenant, 'again', { amount: toMoney(rest) })).toBe('accepted')
    expect(await one()).toBe('too-much')
  })

  it('is taken by the money of a collection, once, also when its code is accepted later', async () => {
    expect(await collect(tenant, 'all', { ...byCode, amount: toMoney(rest) })).toBe('accepted')
    expect(await settle('all', { kind: 'otp-tried' })).toBe('settled')
    expect(await settle('all', succeeded)).toBe('settled')
    // Its fee makes room again.
    expect(await collect(tenant, 'fee', { amount: toMoney(500) })).toBe('accepted')
    expect(await one()).toBe('too-much')
    expect(await settle('all', { kind: 'otp-accepted', hash: '0'.repeat(64), lookAgainMs: 5_000 })).toBe('settled')
    expect(await one()).toBe('too-much')
    const counted = `select count::int from hourly_stat where tenant_id = $1 and outcome = 'succeeded'`
    expect(await asOwner(database, counted, [tenant.id])).toEqual([{ count: 1 }])
  })

  it('is needed for money that comes back: the service asks again an hour later, with a review item until then', async () => {
    await payOut('T-1')
    await settle('T-1', { kind: 'succeeded', sessionId: '9'.repeat(30) })
    expect(await collect(tenant, 'all', { amount: toMoney(rest + 101_000n) })).toBe('accepted')
    const source = { kind: 'rail' as const, environment: 'production' as const, rail: 'a' }
    const back = async () => (await room.settle(tenant, 'T-1', { result: { kind: 'reversed' }, source })).kind
    const raised = () =>
      asOwner(database, 'select kind, environment, note from review_item where tenant_id = $1', [tenant.id])
    const row = async (): Promise<Kept> =>
      (await room.rows(tenant)).find(({ reference }) => reference === 'T-1') as Kept
    expect(await back()).toBe('no-room')
    expect(await row()).toMatchObject({ status: 'SUCCESS', due_at: new Date(clock.now() + 3_600_000) })
    expect(await raised()).toEqual([{ kind: 'return-without-room', environment: 'production', note: null }])
    await settle('all', failed)
    expect(await back()).toBe('settled')
    expect(await row()).toMatchObject({ status: 'REVERSED', due_at: null })
    expect(await raised()).toMatchObject([{ kind: 'return-without-room', note: 'it became REVERSED' }])
    expect(await balancesOf(ctx.db, tenant)).toMatchObject({ available: 10_000_000n, reserved: 0n })
  })
})

describe('codes in one batch', () => {
  it('leave it due when the last that says so wants it, and its end takes that back', async () => {
    for (const reference of ['C-1', 'C-2'])
      await collect(tenant, reference, { approval: { kind: 'otp', validMs: 600_000 } })
    clock.advance(1_000)
    await Promise.all([
      ...[{ kind: 'otp-tried' }, { kind: 'otp-undecided' }, { kind: 'otp-tried' }].map((result) =>
        settle('C-1', result as Result),
      ),
      ...[{ kind: 'otp-tried' }, { kind: 'otp-undecided' }, failed].map((result) => settle('C-2', result as Result)),
    ])
    expect(await room.rows(tenant)).toMatchObject([
      { status: 'OTP_REQUIRED', due_at: new Date(clock.now()) },
      { status: 'FAILED', due_at: null },
    ])
  })

  it('are no end: a person who was called is still needed, and nothing is counted', async () => {
    await collect(tenant, 'C-1', { approval: { kind: 'otp', validMs: 600_000 } })
    const [row] = await room.rows(tenant)
    const dueAt = row?.due_at as Date
    const later = {
      dueAt,
      leaseEnd: dueAt,
      asks: 3,
      submittedAt: null,
      railAnswer: 'no-rail' as const,
      parkedAt: null,
      submissionAnswer: null,
    }
    await room.postpone(tenant, { ...later, reference: 'C-1' })
    const payments = await findPayments(inLane(ctx.db, tenant.lane), [{ tenantId: tenant.id, reference: 'C-1' }])
    await ctx.db.transaction(async (tx) => {
      for (const payment of payments) raiseReviewItem(ctx, tx, railIsMissing(payment, 'production'))
    }, tenant.lane)
    const concerns = () =>
      asOwner(database, 'select closed_at, note from review_item where tenant_id = $1', [tenant.id])
    const counted = () =>
      asOwner(
        database,
        `select outcome, reason, count::int, fees::int, took_5m::int from hourly_stat where tenant_id = $1 and outcome <> 'accepted'`,
        [tenant.id],
      )
    clock.advance(120_000)
    await settle('C-1', { kind: 'otp-tried' })
    expect(await room.rows(tenant)).toMatchObject([{ status: 'OTP_REQUIRED', asks: 3, due_at: dueAt }])
    await settle('C-1', { kind: 'otp-accepted', hash: '0'.repeat(64), lookAgainMs: 5_000 })
    expect(await room.rows(tenant)).toMatchObject([{ status: 'PENDING' }])
    expect([await concerns(), await counted()]).toEqual([[{ closed_at: null, note: null }], []])
    await settle('C-1', failed)
    expect(await concerns()).toMatchObject([{ note: 'it became FAILED' }])
    expect(await counted()).toEqual([
      { outcome: 'failed', reason: 'PAYMENT_NOT_APPROVED', count: 1, fees: 0, took_5m: 1 },
    ])
  })
})
