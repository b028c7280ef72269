// The edges of limits, one by one: which payments count, when, and for which business. limits.test.ts compares all of
// it with the payments.

import { beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '#audit/list.ts'
import type { Tenant } from '#platform/context.ts'
import { toMoney, type Money } from '#platform/money.ts'
import { openBook } from '#ledger/post.ts'
import { allowancesOf, setLimits, showLimits, type LimitChanges } from '#payments/limits.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { createTenant, requestOf, startProcess, type Process } from './process.ts'
import { newReference } from './requests.ts'

const database = await useTestDatabase()
const dayMs = 86_400_000
/** Half past ten in Lagos, and the end of that day. */
const morningMs = Date.parse('2026-01-15T09:30:00.000Z')
const midnightMs = Date.parse('2026-01-15T23:00:00.000Z')
const kobo = (amount: number): Money => toMoney(amount)
let clock: FakeClock
let process: Process
let tenant: Tenant

beforeEach(async () => {
  clock = createFakeClock(morningMs)
  process = startProcess({ database, clock, leasesNew: false })
  tenant = await createTenant(process, 'staging')
})

const limit = (changes: LimitChanges) => setLimits(process.ctx, tenant, changes)
const left = async (): Promise<bigint | null> => (await showLimits(process.ctx, tenant)).left
const send = (amount: number, reference = newReference()) =>
  process.payments.initiate(tenant, requestOf({ reference, amount: kobo(amount) }))
const fail = async (reference: string): Promise<string> =>
  (await process.payments.complete(tenant, reference, { kind: 'failed', reason: 'PROVIDER_ERROR' })).kind

describe('a limit of one payment alone', () => {
  it('refuses a larger payment, counts nothing, and gives nothing back', async () => {
    await limit({ perPayment: kobo(1_000) })
    const reference = newReference()
    expect(await send(1_000, reference)).toMatchObject({ kind: 'accepted' })
    const newDayAt = new Date(midnightMs)
    const excess = { kind: 'over-limit', per: 'payment', limit: 1_000n, left: 1_000n, currency: 'NGN', newDayAt }
    expect(await send(1_001)).toEqual(excess)
    expect([await fail(reference), await left()]).toEqual(['settled', null])
    await limit({ perPayment: null })
    expect(await send(1_001)).toMatchObject({ kind: 'accepted' })
  })
})

describe('a limit of a day', () => {
  it('leaves the rest of that day of Lagos, to the last kobo and the last millisecond', async () => {
    await limit({ perDay: kobo(2_500) })
    const [failing, ofYesterday] = [newReference(), newReference()]
    expect(await send(1_000, failing)).toMatchObject({ kind: 'accepted' })
    expect(await send(900, ofYesterday)).toMatchObject({ kind: 'accepted' })
    const newDayAt = new Date(midnightMs)
    expect(await send(601)).toEqual({
      kind: 'over-limit',
      per: 'day',
      limit: 2_500n,
      left: 600n,
      currency: 'NGN',
      newDayAt,
    })
    expect([await fail(failing), await left()]).toEqual(['settled', 1_600n])
    clock.advance(midnightMs - 1 - clock.now())
    expect(await left()).toBe(1_600n)
    expect(await send(1_600)).toMatchObject({ kind: 'accepted' })
    clock.advance(1)
    expect(await left()).toBe(2_500n)
    expect(await send(300)).toMatchObject({ kind: 'accepted' })
    expect([await fail(ofYesterday), await left()]).toEqual(['settled', 2_200n])
    expect(await send(2_201)).toMatchObject({ left: 2_200n, currency: 'NGN', newDayAt: new Date(midnightMs + dayMs) })
  })

  it('leaves the rest of tomorrow while the books are dated ahead', async () => {
    await limit({ perDay: kobo(2_500) })
    const ahead = startProcess({ database, clock: createFakeClock(clock.now() + dayMs), leasesNew: false })
    await ahead.payments.initiate(tenant, requestOf({ reference: newReference(), amount: kobo(1_000) }))
    expect(await left()).toBe(1_500n)
    expect(await send(1_501)).toMatchObject({ kind: 'over-limit', left: 1_500n })
  })

  it('counts payouts from before it was set, and no collections', async () => {
    const failed = newReference()
    await send(1_000, failed)
    await send(2_000)
    expect(await fail(failed)).toBe('settled')
    const payer = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }
    const collected = await process.payments.collect(tenant, { ...requestOf({ amount: kobo(4_000) }), ...payer })
    expect(collected).toMatchObject({ kind: 'accepted' })
    await limit({ perDay: kobo(10_000) })
    expect(await left()).toBe(8_000n)
    // The service counts nothing while there is no daily limit.
    await limit({ perDay: null })
    await send(3_000)
    await limit({ perDay: kobo(10_000) })
    expect(await left()).toBe(5_000n)
  })

  it('may be lowered below what the day has seen: then it leaves nothing', async () => {
    await limit({ perDay: kobo(1_000) })
    await send(900)
    await limit({ perDay: kobo(500) })
    expect(await left()).toBe(0n)
    expect(await send(1)).toMatchObject({ kind: 'over-limit', left: 0n })
  })

  it('is shared by all that one transaction decides, also when it is read again in the middle', async () => {
    await limit({ perDay: kobo(1_000) })
    const at = new Date(clock.now())
    const excess = await process.ctx.db.transaction(async (tx) => {
      await openBook(tx, [tenant.id])
      await allowancesOf(tx).read([tenant.id])
      allowancesOf(tx).count(tenant.id, { amount: kobo(700), currency: 'NGN' }, at)
      await allowancesOf(tx).read([tenant.id])
      return allowancesOf(tx).excess(tenant.id, { amount: kobo(301), currency: 'NGN' }, at)
    }, tenant.lane)
    expect(excess).toMatchObject({ per: 'day', left: 300n })
    expect(await left()).toBe(300n)
  })
})

describe('limits', () => {
  it('are set one by one, and the audit log has them in words', async () => {
    await limit({ perPayment: kobo(1_000), perDay: kobo(9_000) })
    expect(await limit({ perDay: kobo(8_000) })).toEqual({ perPayment: 1_000n, perDay: 8_000n })
    expect(await limit({ perPayment: null })).toEqual({ perPayment: null, perDay: 8_000n })
    expect(await showLimits(process.ctx, tenant)).toEqual({ perPayment: null, perDay: 8_000n, left: 8_000n })
    const [entry] = await listAudit(process.ctx, { sinceMs: 0, limit: 1 })
    expect(entry).toMatchObject({ act: 'limits.set', details: { perPayment: 'none', perDay: '8000' } })
  })

  it('do not exist by default', async () => {
    const reference = newReference()
    expect(await send(1_000_000, reference)).toMatchObject({ kind: 'accepted' })
    expect(await fail(reference)).toBe('settled')
    expect(await showLimits(process.ctx, tenant)).toEqual({ perPayment: null, perDay: null, left: null })
  })
})
