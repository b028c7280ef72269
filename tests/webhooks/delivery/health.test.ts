// The service disables a subscription whose receiver is gone or has only failed for days. Its new deliveries rest until
// the business enables it. A retry that a business requests is sent beside the schedule.

import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { createRetries } from '#webhooks/retry.ts'
import { nobody, useBench, type DeliveryRow } from './support.ts'

const bench = await useBench()
const { clock, ctx, sending, happen, row, rows, subscribe, subscription, until } = bench
const receiver = await useReceiver()
const { lane } = bench.tenant
const hourMs = 3_600_000

type Told = { tenant: Tenant; id: Uuid }

async function subscriber(path: string, status = 'active'): Promise<Told> {
  const tenant = await bench.newTenant()
  return { tenant, id: await subscribe(receiver.url(path), { tenant, status }) }
}

const tried = (count: number) => (one: DeliveryRow) => one.attempts === count

async function failOnce({ tenant }: Told, reference: string): Promise<void> {
  await happen([reference], { tenant })
  await until(reference, 'tried', tried(1))
}

/** Requests a retry as the endpoint does; a process that works looks at once. */
async function retry(tenant: Tenant, reference: string, force = false): Promise<string> {
  const { id } = await row(reference)
  const { kind } = await createRetries({ ctx, wake: () => undefined }).retry(tenant, id, { force })
  await sending.work(lane)
  return kind
}

describe('a subscription', () => {
  it('counts its failures from the first one after a success', async () => {
    const told = await subscriber('/health')
    const since = async (): Promise<Date | null> => (await subscription(told.id)).failing_since
    receiver.behave('/health', 500)
    await failOnce(told, 'H-1')
    const first = new Date(clock.now())
    expect(await since()).toEqual(first)
    clock.advance(hourMs)
    await failOnce(told, 'H-2')
    expect(await since()).toEqual(first)
    receiver.behave('/health', 200)
    await failOnce(told, 'H-3')
    expect(await since()).toBeNull()
  })

  it('is disabled after 120 hours of failures alone, and the operator gets a log line', async () => {
    const told = await subscriber('/failing')
    receiver.behave('/failing', 500)
    await failOnce(told, 'F-1')
    clock.advance(120 * hourMs - 1)
    await failOnce(told, 'F-2')
    expect(await subscription(told.id)).toMatchObject({ status: 'active' })
    clock.advance(1)
    await failOnce(told, 'F-3')
    expect(await subscription(told.id)).toMatchObject({ status: 'disabled', disabled_because: 'FAILING' })
    // The process that recorded the failure reports it after its commit, so others may see the state sooner.
    const isTold = (line: string): boolean => line.includes(formatId('webhook', told.id)) && line.includes('FAILING')
    await expect.poll(() => bench.lines.some(isTold)).toBe(true)
    expect(await ctx.metrics.registry.metrics()).toMatch(/webhooks_disabled_total\{because="FAILING"\} [1-9]/)
  })

  it('is disabled at once by 410, and its waiting deliveries are not sent', async () => {
    const told = await subscriber('/gone')
    receiver.behave('/gone', 410)
    const references = Array.from({ length: 20 }, (_, index) => `GONE-${index}`)
    await happen(references, { tenant: told.tenant })
    await until('GONE-0', 'tried', tried(1))
    expect(await row('GONE-0')).toMatchObject({
      status: 'failed',
      response_code: 410,
      next_attempt_at: null,
      due_at: null,
    })
    expect(await subscription(told.id)).toMatchObject({ status: 'disabled', disabled_because: 'GONE' })
    await eventually('the rest to rest', async () => {
      await sending.work(lane)
      const all = await Promise.all(references.map(row))
      return all.every(({ due_at }) => due_at === null) ? true : undefined
    })
    const came = receiver.at('/gone').length
    expect(came).toBeLessThanOrEqual(4) // Attempts that were in progress already.
    await sending.work(lane)
    expect(receiver.at('/gone')).toHaveLength(came)
  })
})

describe('a subscription that its business changes while an attempt is recorded', () => {
  it.each(['disabled', 'deleted'])('stays as its business left it: %s', async (status) => {
    const path = `/meanwhile-${status}`
    const told = await subscriber(path)
    receiver.behave(path, 410)
    const business = new pg.Client({ connectionString: bench.database.ownerUrl })
    await business.connect()
    onTestFinished(() => business.end())
    await business.query('begin')
    // The record has read the state of its subscription, and waits to write.
    await business.query('lock table webhook_attempt in share mode')
    await happen([path], { tenant: told.tenant })
    await untilWaiting(bench.database, 1)
    const forget = status === 'deleted' ? ', secret = null' : ''
    await business.query(`update webhook_subscription set status = $2 ${forget} where id = $1`, [told.id, status])
    await business.query('commit')
    await until(path, 'tried', tried(1))
    expect(await subscription(told.id)).toMatchObject({ status, disabled_because: null, failing_since: null })
  })

  it('is disabled by a receiver that is gone, if its business changes its events', async () => {
    const told = await subscriber('/gone-meanwhile')
    receiver.behave('/gone-meanwhile', 410)
    const business = new pg.Client({ connectionString: bench.database.ownerUrl })
    await business.connect()
    onTestFinished(() => business.end())
    await business.query('begin')
    await business.query(`update webhook_subscription set events = events where id = $1`, [told.id])
    await happen(['GONE-MEANWHILE'], { tenant: told.tenant })
    // The record has locked the delivery, and waits for the subscription.
    await untilWaiting(bench.database, 1)
    await business.query('commit')
    await until('GONE-MEANWHILE', 'tried', tried(1))
    expect(await subscription(told.id)).toMatchObject({ status: 'disabled', disabled_because: 'GONE' })
  })
})

describe('a due delivery to a disabled subscription', () => {
  it.each(['disabled', 'deleted'])('is parked: %s', async (status) => {
    const reference = `REST-${status}`
    const told = await subscriber(`/${status}`)
    await happen([reference, `${reference}-2`], { tenant: told.tenant, by: nobody })
    const forget = status === 'deleted' ? ', secret = null' : ''
    await asOwner(bench.database, `update webhook_subscription set status = $2 ${forget} where id = $1`, [
      told.id,
      status,
    ])
    expect(await sending.work(lane)).toMatchObject({ rows: 2 })
    expect(await rows(reference)).toMatchObject([{ status: 'pending', due_at: null, next_attempt_at: null }])
    expect(await sending.work(lane)).toMatchObject({ rows: 0 })
    expect(receiver.at(`/${status}`)).toEqual([])
  })

  it('is sent when its business requests it, and no other delivery is', async () => {
    const told = await subscriber('/asked', 'disabled')
    await happen(['ASKED', 'NOT-ASKED'], { tenant: told.tenant })
    expect(await retry(told.tenant, 'ASKED')).toBe('queued')
    await until('ASKED', 'delivered', ({ status }) => status === 'delivered')
    expect(receiver.at('/asked').map(({ event }) => event.reference)).toEqual(['ASKED'])
    expect(await row('NOT-ASKED')).toMatchObject({ status: 'pending', attempts: 0, due_at: null })
  })
})

describe('an attempt that the business asked for', () => {
  it('adds no schedule and keeps the one that remains', async () => {
    const told = await subscriber('/manual')
    receiver.behave('/manual', 500)
    await failOnce(told, 'MANUAL')
    const { next_attempt_at: next, id } = await row('MANUAL')
    clock.advance(1_000)
    expect(await retry(told.tenant, 'MANUAL')).toBe('queued')
    const after = await until('MANUAL', 'tried again', tried(2))
    expect(after).toMatchObject({ status: 'failed', automatic_attempts: 1, next_attempt_at: next, due_at: next })
    expect(after.retry_requested).toBe(false)
    expect(await bench.attempts(id)).toMatchObject([{ trigger: 'automatic' }, { attempt: 2, trigger: 'manual' }])
    clock.advance((next?.getTime() ?? 0) - clock.now())
    await sending.work(lane)
    expect(await until('MANUAL', 'tried by schedule', tried(3))).toMatchObject({ automatic_attempts: 2 })
  })

  it('that succeeds cancels the remaining attempts', async () => {
    const told = await subscriber('/cancel')
    receiver.behave('/cancel', 500, 200)
    await failOnce(told, 'CANCEL')
    await retry(told.tenant, 'CANCEL')
    const done = await until('CANCEL', 'delivered', ({ status }) => status === 'delivered')
    expect(done).toMatchObject({ next_attempt_at: null, due_at: null, retry_requested: false })
    expect(await retry(told.tenant, 'CANCEL')).toBe('delivered')
    expect(await retry(told.tenant, 'CANCEL', true)).toBe('queued')
    expect(await until('CANCEL', 'sent again', tried(3))).toMatchObject({ status: 'delivered', due_at: null })
  })

  it('while another one is under way follows it at once, if that one fails', async () => {
    const told = await subscriber('/meanwhile')
    receiver.behave('/meanwhile', 'hang', 200)
    await happen(['MEANWHILE'], { tenant: told.tenant })
    await receiver.received('/meanwhile', 1)
    await retry(told.tenant, 'MEANWHILE')
    expect(receiver.at('/meanwhile')).toHaveLength(1)
    receiver.answerAll(500)
    const failed = await until('MEANWHILE', 'failed', tried(1))
    expect(failed).toMatchObject({ retry_requested: true, due_at: new Date(clock.now()) })
    await sending.work(lane)
    const done = await until('MEANWHILE', 'delivered', ({ status }) => status === 'delivered')
    expect(await bench.attempts(done.id)).toMatchObject([{ trigger: 'automatic' }, { trigger: 'manual' }])
  })

  it('outside the schedule is recorded, also for a disabled subscription', async () => {
    const told = await subscriber('/now', 'disabled')
    await happen(['NOW'], { tenant: told.tenant })
    const { id } = await row('NOW')
    expect(await sending.sendNow(told.tenant, id)).toMatchObject({ outcome: 'delivered', responseCode: 200 })
    expect(await row('NOW')).toMatchObject({ status: 'delivered', attempts: 1, automatic_attempts: 0, due_at: null })
    expect(await sending.sendNow(told.tenant, told.id)).toBeUndefined()
  })
})
