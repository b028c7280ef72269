// Which deliveries a process claims or puts to rest, and that each comes with its own event, receiver and environment.

import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, newUuid, type Uuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { claimDeliveries, type ClaimOptions, findDue, findForAttempt, findWaiting } from '#webhooks/delivery/claims.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useClaiming } from './claiming.ts'
import { nobody, useBench } from './support.ts'

const bench = await useBench()
const { clock, ctx, database, happen, row, subscribe, tenant } = bench
const { lane } = tenant
const db = inLane(ctx.db, lane)
const url = 'https://example.com/hook'
const stranger = new pg.Client({ connectionString: database.ownerUrl })
await stranger.connect()
afterAll(() => stranger.end())

const { taken, left, claimWith } = useClaiming(bench, 60_000)
const claim = (options?: Partial<ClaimOptions>) => claimWith(options)(lane)
const references = (): string[] => taken.map(({ reference }) => reference).toSorted()
const setDue = (reference: string, inMs: number) =>
  asOwner(database, 'update webhook_delivery set due_at = $2 where reference = $1', [
    reference,
    new Date(clock.now() + inMs),
  ])
const setStatus = (id: Uuid, status: string) =>
  asOwner(database, 'update webhook_subscription set status = $2 where id = $1', [id, status])

describe('a claim', () => {
  it('takes due deliveries, and none that are due later', async () => {
    await subscribe(url)
    await happen(['NOW', 'LATER'], { by: nobody })
    await setDue('LATER', 1)
    expect((await claim()).rows).toBe(1)
    expect(references()).toEqual(['NOW'])
  })

  it('takes the only due delivery if there is room for one', async () => {
    await subscribe(url)
    await happen(['ONE'], { by: nobody })
    expect((await claim({ roomInAll: () => 1 })).rows).toBe(1)
  })

  it('looks for nothing if there is no room', async () => {
    await subscribe(url)
    await happen(['ONE'], { by: nobody })
    await claim({ roomInAll: () => 0 })
    expect(left).toEqual([])
  })

  it('passes over rows that another session has locked, and does not report them as more work', async () => {
    const [locked] = [await subscribe(url)]
    await happen(['LOCKED'], { by: nobody })
    const free = await subscribe(url)
    await happen(['FREE'], { by: nobody })
    await asOwner(database, `delete from webhook_delivery where reference = 'FREE' and subscription_id = $1`, [locked])
    await stranger.query('begin')
    await stranger.query(`select from webhook_delivery where lane = $1 and reference = 'LOCKED' for update`, [lane])
    const turn = await claim({ room: (id) => (id === free ? 9 : 1) })
    await stranger.query('commit')
    expect([turn, references(), left]).toEqual([{ rows: 1, more: false }, ['FREE'], []])
  })

  it('brings the data of its own event, where two are about one payment', async () => {
    await subscribe(url, { events: ['transfer.success', 'transfer.reversed'] })
    const pipe = createEventOutbox(clock, nobody)
    const [sourceId, atMs] = [newUuid(clock.now()), clock.now()]
    await ctx.db.transaction(async (tx) => {
      for (const name of ['transfer.success', 'transfer.reversed'] as const)
        pipe.emit(tx, { tenantId: tenant.id, name, sourceId, reference: name, atMs, data: { is: name } })
      pipe.emit(tx, {
        tenantId: tenant.id,
        name: 'transfer.success',
        sourceId: newUuid(atMs),
        reference: 'other',
        atMs,
        data: { is: 'other' },
      })
    }, lane)
    await claim()
    expect(taken.map(({ reference, data }) => [reference, JSON.parse(data)]).toSorted()).toEqual([
      ['other', { is: 'other' }],
      ['transfer.reversed', { is: 'transfer.reversed' }],
      ['transfer.success', { is: 'transfer.success' }],
    ])
  })

  it('names its own environment and receiver', async () => {
    const { staging, production } = (await createBusiness(ctx, 'Both')).tenants
    const ids = new Map<string, Uuid>()
    for (const owner of [staging, production]) {
      ids.set(owner.environment, await subscribe(`${url}/${owner.environment}`, { tenant: owner }))
      await happen([owner.environment], { tenant: owner, by: nobody })
    }
    await claim()
    for (const { environment, reference, receiver } of taken) {
      expect([environment, receiver.url]).toEqual([reference, `${url}/${reference}`])
      expect(receiver.subscriptionId).toBe(ids.get(reference))
    }
    expect(references()).toEqual(['production', 'staging'])
  })

  it('takes requested deliveries of a disabled subscription, also when something was written a moment ago', async () => {
    const subscriptionId = await subscribe(url)
    await happen(['ASKED', 'NOT-ASKED'], { by: nobody })
    await asOwner(database, `update webhook_delivery set retry_requested = true where reference = 'ASKED'`)
    const now = new Date(clock.now())
    const lease = { now, leaseEnd: new Date(clock.now() + 60_000) }
    const wishes = [{ tenantId: tenant.id, subscriptionId, room: 9 }]
    const names = async (onlyRequested: boolean) =>
      (await claimDeliveries(db, wishes, { ...lease, onlyRequested })).map(({ reference }) => reference)
    expect([await names(true), await names(false)]).toEqual([['ASKED'], ['NOT-ASKED']])
  })

  it('of a disabled subscription reports more work when its business asked for more than there is room for', async () => {
    const id = await subscribe(url)
    await happen(['A', 'B'], { by: nobody })
    await setStatus(id, 'disabled')
    await asOwner(database, 'update webhook_delivery set retry_requested = true')
    expect(await claim({ room: () => 1, leftBehind: () => true })).toEqual({ rows: 1, more: true })
  })
})

describe('parking', () => {
  it('takes due deliveries, without a wait for locked ones', async () => {
    const id = await subscribe(url)
    await happen(['DUE', 'LATER', 'LOCKED'], { by: nobody })
    await setDue('LATER', 1)
    await setStatus(id, 'disabled')
    await stranger.query('begin')
    await stranger.query(`select from webhook_delivery where lane = $1 and reference = 'LOCKED' for update`, [lane])
    expect(await claim()).toEqual({ rows: 1, more: true })
    await stranger.query('commit')
    expect([(await row('DUE')).due_at, (await row('LATER')).due_at]).toEqual([null, new Date(clock.now() + 1)])
    expect((await row('LOCKED')).due_at).not.toBeNull()
  })

  it('takes deliveries of a subscription whose row does not exist', async () => {
    const id = await subscribe(url)
    await happen(['ORPHAN'], { by: nobody })
    await asOwner(database, 'delete from webhook_subscription where id = $1', [id])
    expect((await claim()).rows).toBe(1)
    expect((await row('ORPHAN')).due_at).toBeNull()
  })

  it('cancels the requested retries of a deleted subscription', async () => {
    const id = await subscribe(url)
    await happen(['ASKED'], { by: nobody })
    await asOwner(database, 'update webhook_delivery set retry_requested = true')
    await asOwner(database, `update webhook_subscription set status = 'deleted', secret = null where id = $1`, [id])
    expect((await claim()).rows).toBe(1)
    expect(await row('ASKED')).toMatchObject({ due_at: null, next_attempt_at: null, retry_requested: false })
  })
})

describe('a delivery for an attempt outside the schedule', () => {
  it('is found by its own business only, and only while its subscription exists', async () => {
    const id = await subscribe(url)
    await happen(['ONE', 'TWO'], { by: nobody })
    const delivery = await row('TWO')
    expect(await findForAttempt(db, tenant.id, delivery.id)).toMatchObject({ reference: 'TWO', manual: true })
    const other = await bench.newTenant()
    expect(await findForAttempt(db, other.id, delivery.id)).toBeUndefined()
    await asOwner(database, `update webhook_subscription set status = 'deleted', secret = null where id = $1`, [id])
    expect(await findForAttempt(db, tenant.id, delivery.id)).toBeUndefined()
  })
})

describe('subscriptions with work', () => {
  it('are listed after a given one, up to the limit, each with its oldest due time and its status', async () => {
    const ids = [await subscribe(url), await subscribe(url), await subscribe(url), await subscribe(url)].toSorted()
    await happen(['EARLY'], { by: nobody })
    clock.advance(5)
    await happen(['LATE'], { by: nobody })
    const [first, second, third, idle] = ids as [Uuid, Uuid, Uuid, Uuid]
    await asOwner(database, 'update webhook_delivery set due_at = null where subscription_id = $1', [idle])
    await setStatus(third, 'disabled')
    const dueAt = new Date(clock.now() - 5)
    const all = [
      { tenantId: tenant.id, subscriptionId: first, dueAt, status: 'active' },
      { tenantId: tenant.id, subscriptionId: second, dueAt, status: 'active' },
      { tenantId: tenant.id, subscriptionId: third, dueAt, status: 'disabled' },
    ]
    const behind = (subscriptionId: Uuid, limit: number) =>
      findWaiting(db, { tenantId: tenant.id, subscriptionId }, limit)
    expect(await behind(firstUuid, 9)).toEqual(all)
    expect(await behind(firstUuid, 2)).toEqual(all.slice(0, 2))
    expect(await behind(first, 9)).toEqual(all.slice(1))
    expect(await behind(third, 9)).toEqual([])
  })

  it('are counted with their due deliveries and the oldest, if they are healthy', async () => {
    const [healthy, failing, paused, exact, later] = [
      await subscribe(url),
      await subscribe(url),
      await subscribe(url, { status: 'disabled' }),
      await subscribe(url),
      await subscribe(url),
    ]
    const due = (limit = 99, subscriptionsMax = 99) => findDue(db, new Date(clock.now()), { limit, subscriptionsMax })
    const only = async (id: Uuid, ...times: number[]): Promise<void> => {
      const sql = `update webhook_delivery set due_at = $3 where subscription_id = $1 and reference = $2`
      for (const [index, inMs] of times.entries())
        await asOwner(database, sql, [id, `D-${index}`, new Date(clock.now() + inMs)])
    }
    expect(await due()).toEqual({ count: 0, oldest: null })
    await happen(['D-0', 'D-1', 'D-2'], { by: nobody })
    await asOwner(database, 'update webhook_delivery set due_at = null')
    await only(later, 1, 2)
    expect(await due()).toEqual({ count: 0, oldest: null })
    await only(healthy, -3, 0, 1)
    await only(failing, -9)
    await asOwner(database, 'update webhook_subscription set failing_since = $2 where id = $1', [
      failing,
      new Date(clock.now()),
    ])
    await only(paused, -9)
    expect(await due()).toEqual({ count: 2, oldest: new Date(clock.now() - 3) })
    await only(exact, 0)
    expect(await due()).toEqual({ count: 3, oldest: new Date(clock.now() - 3) })
    expect((await due(2)).count).toBe(2)
    expect((await due(1)).count).toBe(1)
  })
})
