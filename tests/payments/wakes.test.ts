// Resuming wakes payments that were held back: so many of each kind at each rail, the earliest first; and which
// payments are shown as paused.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import type { Draft } from '#payments/payment.ts'
import { pausePayouts, readBrakeStates, wakeHeld } from '#payments/brakes.ts'
import { asOwner } from '#tests/support/owner.ts'
import { drafts } from './drafts.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>
let tenant: Tenant

const named: Record<string, Partial<Draft>> = {
  b: {},
  m: drafts.momo_transfer,
  c: drafts.momo_collection,
}

const now = (laterMs = 0): Date => new Date(clock.now() + laterMs)

/** Accepts a payment of the kind that its name begins with, unsent and due this many seconds from now. */
async function accept(reference: string, seconds: number, { owner = tenant, rail = 'a' } = {}): Promise<void> {
  const { draft } = commandOf(owner, { ...named[reference.slice(0, 1)], reference })
  expect((await room.accept(owner, reference, { draft, rail: { kind: 'served', rail } })).kind).toBe('accepted')
  const set = 'update payment set due_at = $2, submitted_at = null where reference = $1'
  await asOwner(database, set, [reference, now(seconds * 1_000)])
}

const due = async (): Promise<string[]> =>
  (await room.rows(tenant)).filter(({ due_at }) => due_at?.getTime() === clock.now()).map(({ reference }) => reference)

const all = { environments: ['production' as const], businessId: null, rail: null }
const lane = inLane(ctx.db, 1)

beforeEach(async () => {
  await asOwner(database, 'truncate payment, brake')
  room = await open()
  tenant = room.tenants[0]
})

describe.each([
  ['lifts a pause', (limit: number) => wakeHeld(lane, all, now(), limit)],
  ['resumes a rail', (limit: number) => wakeHeld(lane, { ...all, rail: 'a' }, now(), limit)],
])('a person who %s', (_what, wake) => {
  it('wakes those of each kind that are due the soonest, and no collection', async () => {
    await accept('b-late', 50)
    await accept('b-next', 10)
    await accept('b-then', 20)
    await accept('m-late', 40)
    await accept('m-next', 30)
    await accept('c-next', 5)
    expect(await wake(1)).toBe(2)
    expect(await due()).toEqual(['b-next', 'm-next'])
    expect(await wake(1)).toBe(2)
    expect(await due()).toEqual(['b-next', 'b-then', 'm-late', 'm-next'])
    expect(await wake(5)).toBe(1)
    expect(await wake(5)).toBe(0)
  })

  it('wakes nothing that is due already, and wakes as many as there is room for, where one kind has more', async () => {
    await accept('b-0', 0)
    for (let made = 1; made <= 3; made++) await accept(`b-${made}`, made)
    expect(await wake(2)).toBe(2)
    expect(await due()).toEqual(['b-0', 'b-1', 'b-2'])
  })
})

it('lifting a pause wakes as many at each rail, and only payments of that pause', async () => {
  const [one, two] = room.businesses
  await accept('b-1', 1)
  await accept('b-2', 2)
  await accept('b-3', 3, { rail: 'b' })
  await accept('b-4', 4, { owner: one.tenants.staging })
  await accept('b-5', 5, { owner: two.tenants.production })
  expect(await wakeHeld(lane, { ...all, businessId: one.id }, now(), 1)).toBe(2)
  expect(await due()).toEqual(['b-1', 'b-3'])
  expect(await wakeHeld(lane, { ...all, businessId: one.id }, now(), 5)).toBe(1)
  expect(await wakeHeld(lane, all, now(), 5)).toBe(1)
  expect(await wakeHeld(lane, { ...all, environments: ['staging'] }, now(), 5)).toBe(1)
})

it('a pause of an environment names no tenant, and that of a business names its tenants there', async () => {
  const [one] = room.businesses
  const listed = async () =>
    (await readBrakeStates(ctx.db)).map(({ environment, tenantId }) => `${environment} ${tenantId}`).toSorted()
  expect(await listed()).toEqual([])
  await pausePayouts(ctx, { environment: 'production' })
  expect(await listed()).toEqual(['production null'])
  await pausePayouts(ctx, { environment: 'staging', businessId: one.id })
  expect(await listed()).toEqual(['production null', `staging ${one.tenants.staging.id}`])
})
