// How many payments wait: those that no process has claimed, and those that a business should look at.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import type { Draft } from '#payments/payment.ts'
import { findDue } from '#payments/execution/executor.ts'
import { countLate, readBackground } from '#payments/history.ts'
import { asOwner } from '#tests/support/owner.ts'
import { drafts } from './drafts.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>
let tenant: Tenant
let other: Tenant

const named: Record<string, Partial<Draft>> = {
  b: {},
  m: drafts.momo_transfer,
  c: drafts.momo_collection,
  o: { ...drafts.momo_collection, approval: { kind: 'otp', validMs: 600_000 } },
}

beforeEach(async () => {
  await asOwner(database, 'truncate payment')
  room = await open()
  ;[tenant, other] = room.tenants
})

/** Accepts a payment of the kind that its name begins with, a second later than the one before. */
async function accept(reference: string, { owner = tenant, rail = 'a', keepMs = 0 } = {}): Promise<Date> {
  clock.advance(1_000)
  const { draft } = commandOf(owner, { ...named[reference.slice(0, 1)], reference })
  const outcome = await room.accept(owner, reference, { draft, rail: { kind: 'served', rail }, keepMs })
  expect(outcome.kind).toBe('accepted')
  return new Date(clock.now())
}

const now = (): Date => new Date(clock.now())

describe('due payments', () => {
  const due = (limit: number) => findDue(inLane(ctx.db, 1), now(), limit)

  it('are none if there are no payments, or only ended ones and those due later', async () => {
    expect(await due(10)).toEqual({ count: 0, oldest: null })
    await accept('b-later', { keepMs: 1 })
    await accept('b-ended')
    await room.settle(tenant, 'b-ended', { result: { kind: 'succeeded' } })
    await asOwner(database, 'update payment set due_at = $1 where status = $2', [new Date(clock.now() + 1), 'queued'])
    expect(await due(10)).toEqual({ count: 0, oldest: null })
    clock.advance(1)
    expect(await due(10)).toEqual({ count: 1, oldest: now() })
  })

  it('are counted for each kind at each rail up to a limit, with the oldest of all', async () => {
    const first = await accept('b-1')
    const oldest = await accept('m-1')
    const later = new Date(first.getTime() + 60_000)
    await asOwner(database, `update payment set due_at = $1 where reference = 'b-1'`, [later])
    await accept('m-2')
    await accept('m-3')
    await accept('m-4', { rail: 'b' })
    await accept('b-2', { owner: other })
    clock.advance(60_000)
    expect(await due(10)).toEqual({ count: 6, oldest })
    expect(await due(2)).toEqual({ count: 5, oldest })
    expect(await due(1)).toEqual({ count: 3, oldest })
  })
})

describe('late payments', () => {
  const late = async (before: Date, max = 10) =>
    Object.fromEntries(
      (await countLate(ctx.db, tenant, before, max)).map(({ kind, status, count }) => [`${kind} ${status}`, count]),
    )

  it('are unfinished payments from before a time, by kind and status', async () => {
    await accept('b-1')
    await accept('b-2')
    await accept('m-1')
    await accept('c-1')
    await accept('o-1')
    await accept('b-3', { owner: other })
    await accept('b-ended')
    await room.settle(tenant, 'b-ended', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' } })
    const last = await accept('b-4')
    const others = { 'momo_transfer queued': 1, 'momo_collection PENDING': 1, 'momo_collection OTP_REQUIRED': 1 }
    expect(await late(last)).toEqual({ 'bank_transfer queued': 2, ...others })
    clock.advance(1)
    expect(await late(now())).toEqual({ 'bank_transfer queued': 3, ...others })
  })

  it('are counted up to a limit, the oldest first', async () => {
    const times = []
    for (const reference of ['b-1', 'b-2', 'b-3']) times.push(await accept(reference))
    expect(await late(now(), 2)).toEqual({ 'bank_transfer queued': 2 })
    expect(await late(times[1] as Date, 1)).toEqual({ 'bank_transfer queued': 1 })
    expect(await late(times[0] as Date)).toEqual({})
  })
})

it('the further facts of a payment belong to it alone, and an unknown payment has none', async () => {
  await accept('b-1')
  await accept('b-1', { owner: other })
  await accept('b-2')
  const at = (await room.rows(tenant)).map(({ due_at }) => due_at)
  const of = (reference: string, owner = tenant) => readBackground(ctx.db, owner, reference)
  expect(await of('b-1')).toEqual({ succeededAt: null, dueAt: at[0], asks: 0, railAnswer: null })
  await asOwner(
    database,
    `update payment set asks = 7, rail_word = 'unknown' where reference = 'b-1' and tenant_id = $1`,
    [other.id],
  )
  expect(await of('b-1')).toMatchObject({ asks: 0, railAnswer: null })
  expect(await of('b-1', other)).toMatchObject({ asks: 7, railAnswer: 'unknown' })
  expect(await of('b-2')).toMatchObject({ asks: 0, dueAt: at[1] })
  expect(await of('b-3')).toEqual({ succeededAt: null, dueAt: null, asks: 0, railAnswer: null })
})
