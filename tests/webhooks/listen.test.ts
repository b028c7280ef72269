// A listener gets every event once and in order, also one that becomes visible late.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { listenFromNow, listenSince, type Listener } from '#webhooks/listen.ts'

const ctx = createTestContext((await useTestDatabase()).connect())
const { emit } = createEventOutbox(ctx.clock)
const startMs = Date.parse('2026-01-15T09:30:00.000Z')

async function newTenant(): Promise<Tenant> {
  return (await createBusiness(ctx, 'Listened to')).tenants.staging
}

/** Writes events in one transaction, one for each offset from the start, whose name is the offset. */
async function happen(tenant: Tenant, ...afterMs: number[]): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    for (const ms of afterMs) {
      const [atMs, reference] = [startMs + ms, `at-${ms}`]
      const event = { tenantId: tenant.id, name: 'transfer.success' as const, sourceId: newUuid(atMs), reference, atMs }
      emit(tx, { ...event, data: { ms } })
    }
  }, tenant.lane)
}

async function hearAll(listener: Listener): Promise<string[]> {
  const heard: string[] = []
  for (let more = true; more;) {
    const part = await listener.readNext(ctx.db)
    heard.push(...part.events.map((event) => event.reference))
    more = part.more
  }
  return heard
}

describe('listening', () => {
  it('returns each event once with its data, in the order in which they happened', async () => {
    const tenant = await newTenant()
    const listener = listenSince(tenant, new Date(startMs))
    await happen(tenant, 20, 10)
    const { events } = await listener.readNext(ctx.db)
    expect(events).toEqual([
      expect.objectContaining({ name: 'transfer.success', reference: 'at-10', data: '{"ms":10}' }),
      expect.objectContaining({ reference: 'at-20', createdAt: new Date(startMs + 20) }),
    ])
    expect(await hearAll(listener)).toEqual([])
    await happen(tenant, 30)
    expect(await hearAll(listener)).toEqual(['at-30'])
  })

  it('from now on leaves out earlier events, also those of the same millisecond', async () => {
    const tenant = await newTenant()
    await happen(tenant, 0, 86_400_000, 86_400_001)
    const listener = await listenFromNow(ctx.db, tenant)
    await happen(tenant, 86_400_001)
    expect(await hearAll(listener)).toEqual(['at-86400001'])
  })

  it('since a time returns the events from that time on', async () => {
    const tenant = await newTenant()
    await happen(tenant, 0, 1_000, 2_000)
    expect(await hearAll(listenSince(tenant, new Date(startMs + 1_000)))).toEqual(['at-1000', 'at-2000'])
  })

  it('returns an event that becomes visible after a later one', async () => {
    const tenant = await newTenant()
    const listener = listenSince(tenant, new Date(startMs))
    await happen(tenant, 0, 5_000, 9_000)
    expect(await hearAll(listener)).toEqual(['at-0', 'at-5000', 'at-9000'])
    await happen(tenant, 1)
    expect(await hearAll(listener)).toEqual(['at-1'])
    expect(await hearAll(listener)).toEqual([])
  })

  it('does not return an event that becomes visible too late', async () => {
    const tenant = await newTenant()
    const listener = listenSince(tenant, new Date(startMs))
    await happen(tenant, 0, 40_000, 60_000)
    await hearAll(listener)
    await happen(tenant, 30_000, 50_000)
    expect(await hearAll(listener)).toEqual(['at-50000'])
  })

  it('returns no event of the other environment or of other businesses', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()]
    await happen(other, 0)
    expect(await hearAll(listenSince(tenant, new Date(0)))).toEqual([])
  })

  it('reads many pages, also of one millisecond, and remembers a limited number of events', async () => {
    const tenant = await newTenant()
    const times = Array.from({ length: 100 }, (_, index) => Math.floor(index / 30))
    await happen(tenant, ...times)
    const few = { keysPerPage: 7, eventsPerRead: 3, rememberedMax: 10 }
    const listener = listenSince(tenant, new Date(startMs), few)
    expect(await hearAll(listener)).toEqual(times.map((ms) => `at-${ms}`))
    expect(await hearAll(listener)).toEqual([])
    const late = await listenFromNow(ctx.db, tenant, few)
    expect(await hearAll(late)).toEqual([])
    await happen(tenant, 4)
    expect(await hearAll(listener)).toEqual(['at-4'])
    expect(await hearAll(late)).toEqual(['at-4'])
  })
})
