import { describe, expect, it } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useService } from '#tests/support/service.ts'
import { deliveriesOf, subscribe, subscriptionBody, writeLog, type LogRow } from '#tests/webhooks/requests.ts'

// No worker sends here, so queued deliveries stay as they are.
const service = await useService({ clock: createFakeClock(), roles: ['api'] })
const at = (minute: number): Date => new Date(Date.parse('2026-01-15T09:00:00.000Z') + minute * 60_000)
const day = { from: '2026-01-15', to: '2026-01-15' }

async function newLog(rows: (Partial<LogRow> & { to: 'one' | 'two' })[]) {
  const { staging, business } = await service.addBusiness('Log')
  const webhooks = { one: await subscribe(staging), two: await subscribe(staging) }
  const ids: Uuid[] = []
  for (const { to, ...row } of rows) {
    ids.push(...(await writeLog(service.database, business.tenants.staging, webhooks[to].id, [row])))
  }
  const retry = (body: unknown) => staging.post('/v1/webhooks/events/retry', body)
  const queued = async () => {
    const states = await Promise.all(ids.map((id) => deliveriesOf(service.database, id)))
    return states.flatMap((state, index) => (state.retry_requested ? [index] : []))
  }
  return { staging, webhooks, ids, retry, queued }
}

describe('200', () => {
  it('queues failed deliveries, and pending ones that no process is sending', async () => {
    const { retry, queued, ids, staging } = await newLog([
      { to: 'one', status: 'failed', createdAt: at(0) },
      { to: 'one', status: 'delivered', createdAt: at(1) },
      { to: 'two', status: 'pending', createdAt: at(2) },
      { to: 'two', status: 'pending', createdAt: at(3), nextAttemptAt: at(3), dueAt: at(3) },
      { to: 'two', status: 'failed', createdAt: at(4), nextAttemptAt: at(60), dueAt: at(60) },
    ])
    expect(expectSuccess(await retry(day))).toEqual({ queued: 3 })
    expect(await queued()).toEqual([0, 2, 4])
    const now = new Date(service.ctx.clock.now())
    const [first, , , , last] = ids
    if (first === undefined || last === undefined) throw new Error('nothing was written')
    expect(await deliveriesOf(service.database, first)).toMatchObject({ status: 'pending', due_at: now })
    expect(await deliveriesOf(service.database, last)).toMatchObject({ due_at: now, next_attempt_at: at(60) })
    expect(expectSuccess(await staging.get('/v1/webhooks/events?status=failed')).events).toEqual([])
    expect(expectSuccess(await retry(day))).toEqual({ queued: 0 })
  })

  it('queues within the range of time, both ends included, of one webhook and of one event', async () => {
    const all = Array.from({ length: 8 }, (_, index) => ({
      to: index % 2 === 0 ? ('one' as const) : ('two' as const),
      status: 'failed' as const,
      event: index < 4 ? 'transfer.success' : 'transfer.failed',
      createdAt: at(index),
    }))
    const { retry, queued, webhooks } = await newLog(all)
    const between = (first: number, last: number) => ({ from: at(first).toISOString(), to: at(last).toISOString() })
    expect(expectSuccess(await retry(between(6, 7)))).toEqual({ queued: 2 })
    expect(expectSuccess(await retry({ ...day, webhookId: webhooks.one.id, event: 'transfer.success' }))).toEqual({
      queued: 2,
    })
    expect(await queued()).toEqual([0, 2, 6, 7])
    expect(expectSuccess(await retry(between(5, 5)))).toEqual({ queued: 1 })
    expect(await queued()).toEqual([0, 2, 5, 6, 7])
  })

  it('leaves those of a deleted webhook and of other tenants', async () => {
    const { retry, staging, webhooks, queued } = await newLog([
      { to: 'one', status: 'failed', createdAt: at(0) },
      { to: 'two', status: 'failed', createdAt: at(1) },
    ])
    const other = await newLog([{ to: 'one', status: 'failed', createdAt: at(0) }])
    expectSuccess(await staging.delete(`/v1/webhooks/${webhooks.one.id}`))
    expect(expectSuccess(await retry(day))).toEqual({ queued: 1 })
    expect(await queued()).toEqual([1])
    expect(await other.queued()).toEqual([])
  })

  it('queues what a disabled webhook was not sent yet', async () => {
    const { retry, staging, webhooks, queued } = await newLog([
      { to: 'one', status: 'pending', createdAt: at(0), nextAttemptAt: at(0), dueAt: at(0) },
      { to: 'two', status: 'pending', createdAt: at(1), nextAttemptAt: at(1), dueAt: at(1) },
    ])
    expectSuccess(await staging.patch(`/v1/webhooks/${webhooks.one.id}`, { status: 'disabled' }))
    expect(expectSuccess(await retry(day))).toEqual({ queued: 1 })
    expect(await queued()).toEqual([0])
    expect(expectSuccess(await retry(day))).toEqual({ queued: 0 })
  })

  it('is no webhook called events', async () => {
    expectSuccess(await service.staging.post('/v1/webhooks', subscriptionBody()))
    expect(expectSuccess(await service.staging.post('/v1/webhooks/events/retry', day))).toEqual({ queued: 0 })
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([
    [['from', 'to'], {}],
    [['from'], { ...day, from: 5 }],
    [['from'], { ...day, from: null }],
    [['to'], { ...day, to: 'now' }],
    [['to'], { from: '2026-01-15', to: '2026-01-14' }],
    [['webhookId'], { ...day, webhookId: 'x' }],
    [['webhookId'], { ...day, webhookId: null }],
    [['event'], { ...day, event: 'transfer' }],
    [['event'], { ...day, event: ['transfer.failed'] }],
  ])('%j %j', async (fields, body) => {
    const answer = await service.staging.post('/v1/webhooks/events/retry', body)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(fields)
  })

  it('says that the id of a webhook is a string', async () => {
    const answer = await service.staging.post('/v1/webhooks/events/retry', { ...day, webhookId: 5 })
    expectError(answer, 400, 'VALIDATION_ERROR', 'webhookId must be a string')
  })
})
