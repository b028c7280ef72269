// How attempts and returned deliveries are recorded: many in one batch, each by its own lease.

import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { createLanes } from '#platform/db/lane.ts'
import type { LeasedDelivery } from '#events/outbox.ts'
import type { Outcome } from '#webhooks/delivery/attempt.ts'
import { createRecorder } from '#webhooks/delivery/record.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { nobody, useBench } from './support.ts'

const bench = await useBench()
const { ctx, clock, database, happen, newTenant, row, rows, subscribe, subscription } = bench
const lanes = createLanes(ctx, { name: 'recorded' })
const recorder = createRecorder({ ctx, laneOf: lanes.of, scheduleOf: () => [90, 90], chance: () => 0.5 })
const leaseMs = 60_000
let tenant: Tenant
let told: Uuid

beforeEach(async () => {
  clock.advance(1_000)
  tenant = await newTenant()
  told = await subscribe('https://example.com/hook', { tenant })
})

async function inHand(...references: string[]): Promise<LeasedDelivery[]> {
  const kept: LeasedDelivery[] = []
  const keep = { keepMs: () => leaseMs, take: (deliveries: LeasedDelivery[]) => void kept.push(...deliveries) }
  await happen(references, { tenant, by: { ...nobody, ...keep } })
  return references.map((reference) => kept.find((one) => one.reference === reference) as LeasedDelivery)
}

const codes: Partial<Record<Outcome, number>> = { delivered: 200, failed: 500, gone: 410 }

function record(delivery: LeasedDelivery, outcome: Outcome, { afterMs = 0, again = false, manual = false } = {}) {
  const endedAt = new Date(clock.now() + afterMs)
  const times = { startedAt: endedAt, endedAt, durationMs: 3, leaseEnd: delivery.leaseEnd }
  const answer = { responseCode: codes[outcome] ?? null, error: null, responseBody: null }
  return recorder.record({ delivery, again, ended: { outcome, manual, ...times, ...answer } })
}

describe('an attempt', () => {
  it('that fails is counted against its subscription, which stays', async () => {
    const [delivery] = (await inHand('FAILED')) as [LeasedDelivery]
    expect(await record(delivery, 'failed')).toEqual({ disabled: false })
    expect(await row('FAILED')).toMatchObject({ status: 'failed', due_at: new Date(clock.now() + 90_000) })
    expect(await subscription(told)).toMatchObject({ status: 'active', failing_since: new Date(clock.now()) })
    expect(await bench.attempts(delivery.id)).toMatchObject([{ attempt: 1, trigger: 'automatic', response_code: 500 }])
  })

  it('whose receiver is gone disables its subscription, at the time of the answer and not before', async () => {
    const [first, second] = (await inHand('GONE', 'GONE-2')) as [LeasedDelivery, LeasedDelivery]
    const other = await subscribe('https://example.com/other', { tenant })
    const both = [record(first, 'failed'), record(second, 'gone', { afterMs: 5, manual: true })]
    expect(await Promise.all(both)).toContainEqual({ disabled: true })
    const sql = 'select status, disabled_because, updated_at from webhook_subscription where id = $1'
    expect(await asOwner(database, sql, [told])).toEqual([
      { status: 'disabled', disabled_because: 'GONE', updated_at: new Date(clock.now() + 5) },
    ])
    expect(await subscription(other)).toMatchObject({ status: 'active', failing_since: null })
    expect(await bench.attempts(second.id)).toMatchObject([{ trigger: 'manual' }])
    expect(await ctx.metrics.registry.metrics()).toMatch(/webhooks_disabled_total\{because="GONE"\} [1-9]/)
  })

  it.each(['disabled', 'deleted'])(
    'does not report a subscription that its business has %s meanwhile',
    async (status) => {
      const [delivery] = (await inHand(`MEANWHILE-${status}`)) as [LeasedDelivery]
      const business = new pg.Client({ connectionString: database.ownerUrl })
      await business.connect()
      onTestFinished(() => business.end())
      await business.query('begin')
      // The record has read the status of the subscription, and waits to write.
      await business.query('lock table webhook_attempt in share mode')
      const recorded = record(delivery, 'gone')
      await untilWaiting(database, 1)
      const forget = status === 'deleted' ? ', secret = null' : ''
      await business.query(`update webhook_subscription set status = $2 ${forget} where id = $1`, [told, status])
      await business.query('commit')
      expect(await recorded).toEqual({ disabled: false })
      expect(bench.lines.filter((line) => line.includes(formatId('webhook', told)))).toEqual([])
      expect(await subscription(told)).toMatchObject({ status, disabled_because: null })
    },
  )

  it('never dates its subscription back, whose business has changed it since', async () => {
    const [delivery] = (await inHand('BACK')) as [LeasedDelivery]
    const later = new Date(clock.now() + 60_000)
    await asOwner(database, 'update webhook_subscription set updated_at = $2 where id = $1', [told, later])
    await record(delivery, 'gone')
    const sql = 'select status, updated_at from webhook_subscription where id = $1'
    expect(await asOwner(database, sql, [told])).toEqual([{ status: 'disabled', updated_at: later }])
  })

  it('affects only its own subscription, and no other one of the business', async () => {
    const own = await subscribe('https://example.com/own', { tenant, events: ['transfer.failed'] })
    const sinceLong = new Date(clock.now() - 130 * 3_600_000)
    await asOwner(database, 'update webhook_subscription set failing_since = $2 where id = $1', [told, sinceLong])
    const kept: LeasedDelivery[] = []
    const keep = { keepMs: () => leaseMs, take: (deliveries: LeasedDelivery[]) => void kept.push(...deliveries) }
    await happen(['OWN'], { tenant, name: 'transfer.failed', by: { ...nobody, ...keep } })
    await record(kept[0] as LeasedDelivery, 'failed')
    expect(await subscription(own)).toMatchObject({ status: 'active', failing_since: new Date(clock.now()) })
    expect(await subscription(told)).toMatchObject({ status: 'active', failing_since: sinceLong })
  })

  it('that failed does not change `updatedAt` of its subscription', async () => {
    const [delivery] = (await inHand('UNSEEN')) as [LeasedDelivery]
    const sql = 'select updated_at from webhook_subscription where id = $1'
    const before = await asOwner(database, sql, [told])
    clock.advance(1_000)
    await record(delivery, 'failed')
    expect(await asOwner(database, sql, [told])).toEqual(before)
  })

  it('counts for the health of its subscription in the order in which attempts ended', async () => {
    const [first, second] = (await inHand('ORDER-1', 'ORDER-2')) as [LeasedDelivery, LeasedDelivery]
    const batch = [record(first, 'delivered', { afterMs: 10 }), record(second, 'failed', { afterMs: 5 })]
    await Promise.all(batch)
    expect((await subscription(told)).failing_since).toBeNull()
  })

  it('that is recorded again is written once, and not when another process has the delivery', async () => {
    const [done, taken, held] = (await inHand('DONE', 'TAKEN', 'HELD')) as [
      LeasedDelivery,
      LeasedDelivery,
      LeasedDelivery,
    ]
    await record(done, 'failed')
    await record(done, 'failed', { again: true })
    const later = new Date(taken.leaseEnd.getTime() + 1_000)
    await asOwner(database, 'update webhook_delivery set due_at = $2 where id = $1', [taken.id, later])
    await record(taken, 'delivered', { again: true })
    await record(held, 'delivered', { again: true })
    expect([await row('DONE'), await row('TAKEN'), await row('HELD')]).toMatchObject([
      { attempts: 1, status: 'failed' },
      { attempts: 0, status: 'pending' },
      { attempts: 1, status: 'delivered' },
    ])
  })

  it('of a deleted delivery is written nowhere, and the others of its batch are', async () => {
    const [gone, kept] = (await inHand('FORGOTTEN', 'BESIDE')) as [LeasedDelivery, LeasedDelivery]
    await asOwner(database, 'delete from webhook_delivery where id = $1', [gone.id])
    await Promise.all([record(gone, 'gone'), record(kept, 'delivered')])
    expect(await bench.attempts(gone.id)).toEqual([])
    expect(await row('BESIDE')).toMatchObject({ status: 'delivered' })
    expect(await subscription(told)).toMatchObject({ status: 'active' })
  })

  it('is counted by its outcome each time that it is written', async () => {
    const count = async () => {
      const text = await ctx.metrics.registry.metrics()
      return Number(/webhook_attempts_total\{outcome="interrupted"\} (\d+)/.exec(text)?.[1] ?? 0)
    }
    const [delivery] = (await inHand('COUNTED')) as [LeasedDelivery]
    const before = await count()
    await record(delivery, 'interrupted')
    await record(delivery, 'interrupted', { again: true })
    expect(await count()).toBe(before + 1)
  })
})

describe('a delivery that is given back', () => {
  it('is due at once, and no attempt is recorded', async () => {
    const [delivery, other] = (await inHand('GIVEN', 'STAYS')) as [LeasedDelivery, LeasedDelivery]
    clock.advance(10)
    await recorder.giveBack(delivery)
    expect(await row('GIVEN')).toMatchObject({ status: 'pending', attempts: 0, due_at: new Date(clock.now()) })
    expect((await row('STAYS')).due_at).toEqual(other.leaseEnd)
    expect(await rows('GIVEN')).toHaveLength(1)
  })

  it('stays with the process that has leased it since', async () => {
    const [delivery] = (await inHand('MOVED')) as [LeasedDelivery]
    const later = new Date(delivery.leaseEnd.getTime() + 1)
    await asOwner(database, 'update webhook_delivery set due_at = $2 where id = $1', [delivery.id, later])
    await recorder.giveBack(delivery)
    expect((await row('MOVED')).due_at).toEqual(later)
  })
})
