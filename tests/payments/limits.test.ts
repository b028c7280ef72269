// Limits of payouts. Many processes decide at once how much of a day is left, so the test compares it with the
// payments: in every case the day's total is the sum of the payouts that were accepted on it and have not failed.

import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '#audit/list.ts'
import type { Tenant } from '#platform/context.ts'
import { toMoney, type Money } from '#platform/money.ts'
import type { BankTransferOutcome } from '#payments/accept.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createTenant, requestOf, startProcess, type Process } from './process.ts'
import { newReference } from './requests.ts'

const database = await useTestDatabase()
const hourMs = 3_600_000
/** Half past ten in Lagos. */
const morningMs = Date.parse('2026-01-15T09:30:00.000Z')
const midnightMs = Date.parse('2026-01-15T23:00:00.000Z')
let clock: FakeClock
let process: Process
let tenant: Tenant

beforeEach(async () => {
  clock = createFakeClock(morningMs)
  // The simulator serves staging with all kinds of payouts. No process executes them, so they end when a test says so.
  process = startProcess({ database, clock, leasesNew: false })
  tenant = await createTenant(process, 'staging')
})

const limit = (perPayment: bigint | null | undefined, perDay: bigint | null | undefined): Promise<unknown> =>
  setLimits(process.ctx, tenant, {
    perPayment: perPayment as Money | null | undefined,
    perDay: perDay as Money | null | undefined,
  })

const send = (amount: bigint, by = process, reference = newReference()): Promise<BankTransferOutcome> =>
  by.payments.initiate(tenant, requestOf({ reference, amount: toMoney(amount) }))

const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', currency: 'NGN' as const, narration: null }

const sendMomo = (amount: bigint) =>
  process.payments.sendMomo(tenant, {
    ...wallet,
    reference: newReference(),
    amount: toMoney(amount),
    metadata: null,
    accountName: null,
  })

const fail = (reference: string) =>
  process.payments.complete(tenant, reference, { kind: 'failed', reason: 'PROVIDER_ERROR' })

const left = async (): Promise<bigint | null> => (await showLimits(process.ctx, tenant)).left

async function totals({ id }: Tenant): Promise<{ kept: string; true: string }> {
  const [row] = await asOwner<{ kept: string; true: string }>(
    database,
    `select l.day_amount as kept,
            coalesce((select sum(amount) from payment p
                       where p.lane = l.lane and p.tenant_id = l.tenant_id and kind <> 'momo_collection' and status <> 'FAILED'
                         and (p.created_at at time zone 'Africa/Lagos')::date = l.day), 0) as true
       from payout_limit l where tenant_id = $1`,
    [id],
  )
  return row ?? { kept: '', true: '' }
}

describe('the limit of one payment', () => {
  it('lets pass what it says, without the fee, and not a kobo more', async () => {
    await limit(1_000n, null)
    expect(await send(1_000n)).toMatchObject({ kind: 'accepted', payment: { fee: 1_000n } })
    expect(await send(1_001n)).toMatchObject({ kind: 'over-limit', per: 'payment', limit: 1_000n, left: 1_000n })
    expect(await sendMomo(1_001n)).toMatchObject({ kind: 'over-limit', per: 'payment' })
    expect(await left()).toBeNull()
  })
})

describe('the limit of a day', () => {
  it('is shared by all payouts, and refuses one that is larger than the rest', async () => {
    await limit(null, 10_000n)
    expect((await send(6_000n)).kind).toBe('accepted')
    expect((await sendMomo(3_000n)).kind).toBe('accepted')
    expect(await left()).toBe(1_000n)
    expect(await send(1_001n)).toMatchObject({ kind: 'over-limit', per: 'day', limit: 10_000n, left: 1_000n })
    expect((await sendMomo(1_000n)).kind).toBe('accepted')
    expect(await send(1n)).toMatchObject({ kind: 'over-limit', left: 0n })
  })

  it('is not for money that comes in', async () => {
    await limit(1n, 1n)
    const asked = { ...wallet, reference: newReference(), amount: toMoney(5_000), metadata: null, customerName: null }
    expect((await process.payments.collect(tenant, asked)).kind).toBe('accepted')
    expect(await left()).toBe(1n)
  })

  it('begins anew at midnight in Lagos', async () => {
    await limit(null, 10_000n)
    clock.advance(midnightMs - 1 - clock.now())
    expect((await send(10_000n)).kind).toBe('accepted')
    expect(await send(1n)).toMatchObject({ kind: 'over-limit', newDayAt: new Date(midnightMs) })
    clock.advance(1)
    expect(await left()).toBe(10_000n)
    expect((await send(10_000n)).kind).toBe('accepted')
    expect(await send(1n)).toMatchObject({ kind: 'over-limit', newDayAt: new Date(midnightMs + 24 * hourMs) })
  })

  it('is given back what fails, on the day of its acceptance and on no other', async () => {
    await limit(null, 10_000n)
    const [first, second] = [newReference(), newReference()]
    await send(4_000n, process, first)
    await send(6_000n, process, second)
    expect((await fail(first)).kind).toBe('settled')
    expect(await left()).toBe(4_000n)
    expect((await fail(first)).kind).toBe('unchanged')
    expect(await left()).toBe(4_000n)
    clock.advance(24 * hourMs)
    await send(1_000n)
    await fail(second)
    expect(await left()).toBe(9_000n)
  })

  it('keeps what succeeded, also when the bank returned it later', async () => {
    await limit(null, 10_000n)
    const reference = newReference()
    await send(4_000n, process, reference)
    await process.payments.complete(tenant, reference, { kind: 'succeeded', sessionId: '9'.repeat(30) })
    await process.payments.complete(tenant, reference, { kind: 'reversed' })
    expect(await left()).toBe(6_000n)
  })

  it('counts payouts from before it was set, on the same day', async () => {
    await send(50_000n)
    clock.advance(24 * hourMs)
    const failed = newReference()
    await send(1_000n, process, failed)
    await fail(failed)
    await send(2_000n)
    await sendMomo(3_000n)
    await limit(undefined, 10_000n)
    expect(await left()).toBe(5_000n)
    // The service counts nothing while there is no daily limit.
    await limit(undefined, null)
    await send(4_000n)
    await limit(undefined, 10_000n)
    expect(await left()).toBe(1_000n)
  })

  it('may be lowered below what the day has seen, and raised again', async () => {
    await limit(null, 10_000n)
    await send(6_000n)
    await limit(undefined, 5_000n)
    expect(await send(1n)).toMatchObject({ kind: 'over-limit', left: 0n })
    await limit(undefined, 7_000n)
    expect(await left()).toBe(1_000n)
  })
})

describe('setting limits', () => {
  it('changes one and leaves the other', async () => {
    expect(await limit(1_000n, 9_000n)).toEqual({ perPayment: 1_000n, perDay: 9_000n })
    expect(await limit(undefined, 8_000n)).toEqual({ perPayment: 1_000n, perDay: 8_000n })
    expect(await limit(null, undefined)).toEqual({ perPayment: null, perDay: 8_000n })
    expect(await showLimits(process.ctx, tenant)).toEqual({ perPayment: null, perDay: 8_000n, left: 8_000n })
  })

  it('has an entry in the audit log', async () => {
    await setLimits({ ...process.ctx, by: { kind: 'terminal', name: 'ada@lagos' } }, tenant, { perDay: toMoney(8_000) })
    const [entry] = await listAudit(process.ctx, { sinceMs: 0, limit: 1 })
    expect(entry).toMatchObject({
      act: 'limits.set',
      actor: 'ada@lagos',
      environment: 'staging',
      details: { perPayment: 'none', perDay: '8000' },
    })
  })

  it('concerns one business in one environment', async () => {
    const other = await createTenant(process, 'staging')
    await limit(1n, 1n)
    expect(await showLimits(process.ctx, other)).toEqual({ perPayment: null, perDay: null, left: null })
    expect((await process.payments.initiate(other, requestOf())).kind).toBe('accepted')
  })
})

describe('under a limit that is used up', () => {
  it('an accepted request is replayed, and one that contradicts it is a conflict', async () => {
    await limit(null, 1_000n)
    const reference = newReference()
    await send(1_000n, process, reference)
    expect((await send(1_000n, process, reference)).kind).toBe('replayed')
    expect((await send(2_000n, process, reference)).kind).toBe('differs')
    expect(await totals(tenant)).toEqual({ kept: '1000', true: '1000' })
  })

  it('many at once take what fits, in their order', async () => {
    await limit(900n, 2_000n)
    const requests = [800n, 901n, 800n, 800n, 400n, 1n].map((amount) => requestOf({ amount: toMoney(amount) }))
    const outcomes = await process.payments.initiateMany(tenant, requests)
    expect(outcomes.map((one) => (one.kind === 'over-limit' ? one.per : one.kind))).toEqual([
      'accepted',
      'payment',
      'accepted',
      'day',
      'accepted',
      'day',
    ])
  })
})

describe('several processes at once', () => {
  const processes = (count: number): Process[] =>
    Array.from({ length: count }, () => startProcess({ database, clock, leasesNew: false }))

  it('accept exactly what a day allows', async () => {
    await limit(null, 100_000n)
    const all = [process, ...processes(2)]
    const outcomes = await Promise.all(Array.from({ length: 300 }, (_, index) => send(1_000n, all[index % 3])))
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(100)
    expect(outcomes.filter(({ kind }) => kind === 'over-limit')).toHaveLength(200)
    expect(await totals(tenant)).toEqual({ kept: '100000', true: '100000' })
  })

  it('count every acceptance and every failure while a limit is being set', async () => {
    const all = [process, ...processes(2)]
    const references = Array.from({ length: 40 }, () => newReference())
    await Promise.all(references.map((reference) => send(1_000n, process, reference)))
    const sending = Array.from({ length: 300 }, (_, index) => send(100n, all[index % 3]))
    const failing = references.map(fail)
    await Promise.all([...sending, limit(null, 45_000n), ...failing])
    const { kept, true: summed } = await totals(tenant)
    expect(kept).toBe(summed)
    expect(Number(kept)).toBeLessThanOrEqual(70_000)
  })

  it('agree with the payments, whatever happens in which order', async () => {
    const all = [process, ...processes(1)]
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ send: fc.integer({ min: 1, max: 400 }) }) },
      { weight: 4, arbitrary: fc.record({ fail: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ perDay: fc.constantFrom(null, 300n, 1_000n) }) },
      { weight: 1, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 13 }) }) },
    )
    // The steps of one inner array run at the same time.
    const story = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(story, async (rounds) => {
        tenant = await createTenant(process, 'staging')
        await limit(null, 500n)
        const sent: string[] = []
        for (const round of rounds) {
          const accepted: string[] = []
          await Promise.all(
            round.map(async (one, index) => {
              if ('hours' in one) clock.advance(one.hours * hourMs)
              else if ('perDay' in one) await limit(undefined, one.perDay)
              else if ('fail' in one) await fail(sent[one.fail % Math.max(1, sent.length)] ?? 'none')
              else {
                const reference = newReference()
                const outcome = await send(BigInt(one.send), all[index % 2], reference)
                if (outcome.kind === 'accepted') accepted.push(reference)
              }
            }),
          )
          sent.push(...accepted)
          const { perDay } = await showLimits(process.ctx, tenant)
          const { kept, true: summed } = await totals(tenant)
          // The service counts nothing while there is no daily limit.
          expect(perDay === null ? summed : kept).toBe(summed)
        }
      }),
      { numRuns: 15 },
    )
  })
})

it('costs no row where there is no limit', async () => {
  const reference = newReference()
  await send(1_000n, process, reference)
  await fail(reference)
  expect(await asOwner(database, 'select 1 from payout_limit where tenant_id = $1', [tenant.id])).toEqual([])
})
