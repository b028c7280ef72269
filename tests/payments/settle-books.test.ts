// The rows that settling writes beside the payment: the float book of its rail, figures, the rail's answer, and the
// actor.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import type { Draft, Result } from '#payments/payment.ts'
import type { Source } from '#payments/settle.ts'
import { readTries } from '#payments/execution/rail-call.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
const succeeded = { kind: 'succeeded', sessionId: '9'.repeat(30) } as const
const failed: Result = { kind: 'failed', reason: 'DO_NOT_HONOR' }
let room: Awaited<ReturnType<typeof open>>
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate float_movement')
  room = await open()
  tenant = room.tenants[0]
})

async function say(reference: string, ...results: Result[]): Promise<void> {
  const source: Source = { kind: 'rail', environment: 'production', rail: 'a' }
  for (const result of results) expect((await room.settle(tenant, reference, { result, source })).kind).toBe('settled')
}

describe('the float book of its rail', () => {
  const booked = () =>
    asOwner(database, 'select environment, rail, kind, amount::int from float_movement order by kind, amount')
  const onA = { environment: 'production', rail: 'a' }

  it('has what went out, what the rail took for it, and what came back', async () => {
    for (const reference of ['sent', 'cheap', 'back', 'failed']) await room.accept(tenant, reference)
    await say('sent', { ...succeeded, cost: toMoney(700) })
    await say('cheap', succeeded)
    await say('back', { ...succeeded, cost: toMoney(800) }, { kind: 'reversed' })
    await say('failed', failed)
    expect(await booked()).toEqual([
      ...[100_000, 100_000, 100_000].map((amount) => ({ ...onA, kind: 'payout', amount })),
      ...[700, 800].map((amount) => ({ ...onA, kind: 'payout_cost', amount })),
      { ...onA, kind: 'reversal', amount: 100_000 },
    ])
  })

  it('has what a collection brought in', async () => {
    const draft: Draft = {
      kind: 'momo_collection',
      reference: 'in',
      amount: toMoney(50_000),
      currency: 'NGN',
      phoneNumber: '+2348030000000',
      operator: 'mtn-momo',
      customerName: null,
      narration: null,
      metadata: null,
      approval: { kind: 'handset' },
    }
    await room.accept(tenant, 'in', { draft })
    await say('in', { kind: 'succeeded', operatorReference: 'M-1', cost: toMoney(300) })
    expect(await booked()).toEqual([
      { ...onA, kind: 'deposit', amount: 50_000 },
      { ...onA, kind: 'deposit_cost', amount: 300 },
    ])
  })

  it('is none where the rail is the simulator', async () => {
    await room.accept(tenant, 'played', { rail: { kind: 'served', rail: 'simulator' } })
    await room.settle(tenant, 'played', { result: { ...succeeded, cost: toMoney(700) } })
    expect(await booked()).toEqual([])
  })
})

it('figures count each end with its fee and its duration, and a return with neither a duration nor a success', async () => {
  for (const reference of ['sent', 'back', 'failed']) await room.accept(tenant, reference)
  clock.advance(1_500)
  await say('sent', succeeded)
  await say('back', succeeded, { kind: 'reversed' })
  await say('failed', failed)
  const figures = await asOwner(
    database,
    `select outcome, reason, count::int, amount::int, fees::int, took_2s::int as soon, took_1s::int + took_5s::int as other
       from hourly_stat where tenant_id = $1 order by outcome`,
    [tenant.id],
  )
  const nothing = { reason: '', soon: 0, other: 0 }
  expect(figures).toEqual([
    { ...nothing, outcome: 'accepted', count: 3, amount: 300_000, fees: 0 },
    { ...nothing, outcome: 'failed', reason: 'DO_NOT_HONOR', count: 1, amount: 100_000, fees: 0, soon: 1 },
    { ...nothing, outcome: 'returned', count: 1, amount: 100_000, fees: 1_000 },
    { ...nothing, outcome: 'succeeded', count: 2, amount: 200_000, fees: 2_000, soon: 2 },
    { ...nothing, outcome: 'success_undone', count: 1, amount: 100_000, fees: 0 },
  ])
})

it('each end has one event, with the payment as it is by then', async () => {
  for (const reference of ['sent', 'back', 'queued']) await room.accept(tenant, reference)
  await say('sent', succeeded)
  await say('back', succeeded, { kind: 'reversed' })
  const told = await asOwner<{ data: string }>(
    database,
    'select name, reference, data from event where tenant_id = $1 order by reference, name',
    [tenant.id],
  )
  expect(told.map(({ data, ...one }) => ({ ...one, status: JSON.parse(data).status }))).toEqual([
    { name: 'transfer.reversed', reference: 'back', status: 'REVERSED' },
    { name: 'transfer.success', reference: 'back', status: 'SUCCESS' },
    { name: 'transfer.success', reference: 'sent', status: 'SUCCESS' },
  ])
})

it('the rail’s answers before the end are stored with the end', async () => {
  await room.accept(tenant, 'R')
  const at = new Date(clock.now())
  const tries = [
    {
      asked: 'submit' as const,
      answered: 'unknown' as const,
      detail: 'lost',
      firstAt: at,
      lastAt: at,
      times: 1,
      milliseconds: 9,
    },
  ]
  const { kind, ...outcome } = await room.settle(tenant, 'R', { result: succeeded, tries })
  expect(kind).toBe('settled')
  const { id } = (outcome as { payment: { id: Uuid } }).payment
  expect(await readTries(ctx.db, tenant, id)).toMatchObject([{ detail: 'lost' }])
})

it('a person who ends it is named once, with the reason', async () => {
  await room.accept(tenant, 'R')
  clock.advance(1_000)
  const row = async () => (await room.rows(tenant))[0]
  const day = 86_400_000
  await room.postpone(tenant, {
    reference: 'R',
    leaseEnd: (await row())?.due_at as Date,
    dueAt: new Date(clock.now() + 2 * day),
    asks: 9,
    submittedAt: new Date(clock.now()),
    railAnswer: 'unknown',
    parkedAt: null,
    submissionAnswer: null,
  })
  clock.advance(day)
  const source: Source = {
    kind: 'person',
    environment: 'production',
    by: { kind: 'terminal', name: 'ada' },
    note: 'seen',
  }
  const ended = async (result: Result) => (await room.settle(tenant, 'R', { result, source })).kind
  expect([await ended(succeeded), await ended(succeeded), await ended(failed)]).toEqual([
    'settled',
    'unchanged',
    'impossible',
  ])
  const acts = await asOwner(
    database,
    `select actor, details from audit_entry where act = 'payment.settled' and tenant_id = $1`,
    [tenant.id],
  )
  expect(acts).toEqual([{ actor: 'ada', details: expect.stringContaining('seen') }])
  // A person's decision is no contradiction of the rail.
  expect(await asOwner(database, 'select kind from review_item where tenant_id = $1', [tenant.id])).toEqual([])
})
