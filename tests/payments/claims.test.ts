// Claims of due payments: the order, the number, and the payments that a pause or a stopped rail holds back.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { pausePayouts, pausesOf, resumePayouts, resumeRail, stopRail, type Whose } from '#payments/brakes.ts'
import { claimPayments, lockPayments, type Claim } from '#payments/queries.ts'
import { asOwner } from '#tests/support/owner.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>
let tenant: Tenant
const leaseMs = 10_000
const heldMs = 600_000

beforeEach(async () => {
  await asOwner(database, 'truncate payment, brake, rail_resumption')
  room = await open()
  tenant = room.tenants[0]
})

/** Accepts a payment that is due now, a second later than the one before it. */
async function accept(reference: string, rail = 'a', owner = tenant, keepMs = 0): Promise<void> {
  clock.advance(1_000)
  expect((await room.accept(owner, reference, { rail: { kind: 'served', rail }, keepMs })).kind).toBe('accepted')
}

const now = (laterMs = 0): Date => new Date(clock.now() + laterMs)

async function claim(changes: Partial<Claim> = {}) {
  const lane = inLane(ctx.db, tenant.lane)
  const all = {
    now: now(),
    leaseEnd: now(leaseMs),
    leaveBeforeMs: Infinity,
    heldUntil: now(heldMs),
    limit: 100,
    limitPerQueue: 100,
    rooms: [],
  }
  const { leased, held } = await claimPayments(lane, { ...all, ...changes })
  const names = (list: typeof leased): string[] => list.map(({ payment }) => payment.reference).toSorted()
  return { leased, names: names(leased), held: names(held) }
}

const rowOf = async (reference: string) => (await room.rows(tenant)).find((row) => row.reference === reference)

describe('a claim', () => {
  it('takes the oldest of each way, at most so many of each and in all, and more of none than it has room for', async () => {
    for (const reference of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await accept(reference, reference.slice(0, 1))
    expect(await claim({ limit: 0 })).toMatchObject({ names: [] })
    expect((await claim({ limitPerQueue: 1, limit: 2 })).names).toEqual(['a1', 'b1'])
    const rooms = [
      { kind: 'bank_transfer' as const, rail: 'a', room: 0 },
      { kind: 'momo_transfer' as const, rail: 'b', room: 0 },
      { kind: 'bank_transfer' as const, rail: 'c', room: 5 },
    ]
    expect((await claim({ rooms, limitPerQueue: 2 })).names).toEqual(['b2', 'c1'])
    expect((await claim({ rooms: [{ kind: 'bank_transfer', rail: 'a', room: 1 }] })).names).toEqual(['a2'])
    expect((await claim()).names).toEqual(['a3'])
    expect((await claim()).names).toEqual([])
  })

  it('counts the kinds at one rail apart', async () => {
    const wallet = {
      kind: 'momo_transfer' as const,
      phoneNumber: '+2348030000000',
      operator: 'mtn-momo',
      accountNumber: null,
      accountReference: null,
      accountName: null,
    }
    for (const reference of ['m1', 'm2']) {
      const { draft } = commandOf(tenant, { ...wallet, reference })
      expect((await room.accept(tenant, reference, { draft })).kind).toBe('accepted')
    }
    await accept('b1')
    const full = { kind: 'momo_transfer' as const, rail: 'a', room: 0 }
    expect((await claim({ rooms: [full] })).names).toEqual(['b1'])
    expect((await claim({ rooms: [{ ...full, kind: 'bank_transfer' }] })).names).toEqual(['m1', 'm2'])
  })

  it('takes due payments and none a millisecond earlier, whatever was postponed', async () => {
    await accept('R', 'a', tenant, 5_000)
    expect((await claim({ now: now(4_999) })).names).toEqual([])
    expect((await claim({ now: now(5_000) })).names).toEqual(['R'])
  })

  it('finds the ways of which nothing has ended, and walks by those of which all has', async () => {
    for (const reference of ['a1', 'b1', 'c1', 'd1']) await accept(reference, reference.slice(0, 1))
    for (const reference of ['a1', 'c1'])
      await room.settle(tenant, reference, { result: { kind: 'failed', reason: 'DO_NOT_HONOR' } })
    expect((await claim()).names).toEqual(['b1', 'd1'])
  })

  it('notes when it may first have left, and says whether it may have left before', async () => {
    await accept('new')
    const acceptedAt = now()
    await accept('kept', 'a', tenant, 1)
    clock.advance(1)
    const keptAt = (await rowOf('kept'))?.submitted_at
    await asOwner(database, `update payment set rail_word = 'unknown'`)
    clock.advance(1_000)
    const { leased } = await claim()
    expect(
      Object.fromEntries(
        leased.map(({ payment, sentBefore, leaseEnd }) => [payment.reference, [sentBefore, leaseEnd]]),
      ),
    ).toEqual({ new: [false, now(leaseMs)], kept: [true, now(leaseMs)] })
    expect(await rowOf('new')).toMatchObject({ submitted_at: now(), due_at: now(leaseMs), rail_word: null })
    expect(await rowOf('kept')).toMatchObject({ submitted_at: keptAt, due_at: now(leaseMs), rail_word: null })
    expect(keptAt?.getTime()).toBeGreaterThan(acceptedAt.getTime())
  })

  it('does not wait for locked payments: it takes the others', async () => {
    for (const reference of ['first', 'second']) await accept(reference)
    await ctx.db.transaction(async (tx) => {
      expect(await lockPayments(tx, [{ tenantId: tenant.id, reference: 'first' }])).toHaveLength(1)
      expect((await claim()).names).toEqual(['second'])
    }, tenant.lane)
    expect((await claim()).names).toEqual(['first'])
  })
})

describe('due payments that have not left are held back', () => {
  type Owner = 'mine' | 'staging' | 'other'
  let owners: Record<Owner, Tenant>
  let businessId: Uuid

  /** Every test begins with a payment of a business in each environment, and one of another business. */
  beforeEach(async () => {
    const [{ id, tenants }, other] = room.businesses
    businessId = id
    owners = { mine: tenant, staging: tenants.staging, other: other.tenants.production }
    for (const [name, owner] of Object.entries(owners)) await accept(name, 'a', owner)
  })

  /** A process has the payment and asks about it in an hour, so resuming does not wake it. */
  async function acceptLeft() {
    await accept('left', 'a', tenant, 3_600_000)
    return rowOf('left')
  }

  /** A payment that is due already needs no waking. */
  const dueNow = (name: Owner) =>
    asOwner(database, 'update payment set due_at = $3 where tenant_id = $1 and reference = $2', [
      owners[name].id,
      name,
      now(),
    ])

  it.each<[string, Whose & { own?: true }, Owner[]]>([
    ['an environment', { environment: 'production' }, ['mine', 'other']],
    ['a business', { own: true }, ['mine', 'staging']],
    ['a business in one environment', { own: true, environment: 'staging' }, ['staging']],
  ])('by a pause of %s, until it is lifted', async (_whose, { own, ...environment }, names) => {
    const whose = own === true ? { ...environment, businessId } : environment
    const theRest = Object.keys(owners).filter((name) => !names.includes(name as Owner))
    const left = await acceptLeft()
    await pausePayouts(ctx, whose)
    const first = await claim()
    expect(first).toMatchObject({ held: names, names: theRest.toSorted() })
    expect(first.leased.map(({ payment, environment: its }) => [payment.reference, its]).toSorted()).toEqual(
      theRest.map((name) => [name, name === 'staging' ? 'staging' : 'production']).toSorted(),
    )
    const listed = await Promise.all(
      (['production', 'staging'] as const).map(async (one) => (await pausesOf(ctx, businessId, one)).length),
    )
    expect(listed).toEqual([names.includes('mine') ? 1 : 0, names.includes('staging') ? 1 : 0])
    expect(await pausesOf(ctx, room.businesses[1].id, 'production')).toHaveLength(names.includes('other') ? 1 : 0)
    clock.advance(heldMs - 1)
    expect(await claim()).toMatchObject({ held: [], names: theRest.toSorted() })
    await dueNow(names[0] as Owner)
    expect(await resumePayouts(ctx, [tenant.lane], whose)).toEqual({ woken: names.length - 1 })
    expect(await claim()).toMatchObject({ held: [], names })
    expect(await rowOf('left')).toEqual(left)
  })

  it('by a stop of their rail, until it is resumed', async () => {
    await accept('elsewhere', 'b')
    const rail = { environment: 'production' as const, rail: 'a' }
    await ctx.db.transaction((tx) => stopRail(ctx, tx, { ...rail, why: 'a test' }))
    expect(await claim()).toMatchObject({ held: ['mine', 'other'], names: ['elsewhere', 'staging'] })
    clock.advance(1_000)
    const left = await acceptLeft()
    await room.postpone(tenant, {
      reference: 'elsewhere',
      leaseEnd: (await rowOf('elsewhere'))?.due_at as Date,
      dueAt: now(5_000),
      asks: 0,
      submittedAt: null,
      railAnswer: 'unknown',
      parkedAt: null,
      submissionAnswer: null,
    })
    await dueNow('other')
    expect(await resumeRail(ctx, [tenant.lane], rail)).toEqual({ wasStopped: true, woken: 1 })
    expect(await claim()).toMatchObject({ held: [], names: ['mine', 'other'] })
    expect(await rowOf('left')).toEqual(left)
  })

  it('until they are woken; waking does not wait for locked rows', async () => {
    await asOwner(database, 'update payment set due_at = $1', [now(heldMs)])
    clock.advance(1_000)
    await ctx.db.transaction(async (tx) => {
      expect(await lockPayments(tx, [{ tenantId: tenant.id, reference: 'mine' }])).toHaveLength(1)
      const rail = { environment: 'production' as const, rail: 'a' }
      expect(await resumeRail(ctx, [tenant.lane], rail)).toEqual({ wasStopped: false, woken: 1 })
      expect(await resumePayouts(ctx, [tenant.lane], {})).toEqual({ woken: 1 })
    }, tenant.lane)
    expect(await resumePayouts(ctx, [tenant.lane], {})).toEqual({ woken: 1 })
  })

  it('with what its rail said last, and until then; what may have left is followed', async () => {
    await asOwner(database, `update payment set rail_word = 'no-rail' where tenant_id = $1`, [tenant.id])
    await accept('left', 'a', tenant, 1)
    clock.advance(1)
    await pausePayouts(ctx, {})
    expect(await claim()).toMatchObject({ held: ['mine', 'other', 'staging'], names: ['left'] })
    expect(await rowOf('mine')).toMatchObject({ rail_word: 'no-rail', submitted_at: null, due_at: now(heldMs) })
  })

  it('by no brake that is just being lifted: lifting wakes the payments that it finds, so none stays behind', async () => {
    await pausePayouts(ctx, {})
    await ctx.db.transaction((tx) => stopRail(ctx, tx, { environment: 'production', rail: 'a', why: 'a test' }))
    await ctx.db.transaction(async (tx) => {
      await tx.query({ name: 'test.lift', text: 'delete from brake' })
      expect(await claim()).toMatchObject({ held: [], names: ['mine', 'other', 'staging'] })
    })
  })
})
