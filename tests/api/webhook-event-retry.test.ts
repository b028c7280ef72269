import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useService } from '#tests/support/service.ts'
import {
  deliveriesOf,
  eventId,
  oddIds,
  subscribe,
  unknownEvent,
  writeLog,
  type LogRow,
} from '#tests/webhooks/requests.ts'

// No worker sends here, so queued deliveries stay as they are.
const service = await useService({ clock: createFakeClock(), roles: ['api'] })
const { staging, database } = service
const webhook = await subscribe(staging)
const now = (): Date => new Date(service.ctx.clock.now())
const inMs = (ms: number): Date => new Date(service.ctx.clock.now() + ms)

async function written(row: Partial<LogRow>, webhookId = webhook.id) {
  const [uuid] = await writeLog(database, service.business.tenants.staging, webhookId, [{ createdAt: now(), ...row }])
  if (uuid === undefined) throw new Error('nothing was written')
  return { uuid, id: eventId(uuid) }
}
const retry = (id: string, body?: unknown) => staging.post(`/v1/webhooks/events/${id}/retry`, body)

describe('200', () => {
  it('queues a failed one at once and keeps what the schedule has left', async () => {
    const later = inMs(300_000)
    const { id, uuid } = await written({ status: 'failed', nextAttemptAt: later, dueAt: later })
    const data = expectSuccess(await retry(id))
    expect(data).toMatchObject({ id, status: 'pending', attempts: 1, nextAttemptAt: later.toISOString() })
    expect(data).toEqual(expectSuccess(await staging.get(`/v1/webhooks/events?status=pending&limit=1`)).events[0])
    expect(await deliveriesOf(database, uuid)).toMatchObject({
      status: 'pending',
      retry_requested: true,
      due_at: now(),
      next_attempt_at: later,
    })
  })

  it('queues one whose schedule is over', async () => {
    const { id, uuid } = await written({ status: 'failed', attempts: 5 })
    expect(expectSuccess(await retry(id, {}))).toMatchObject({ status: 'pending', nextAttemptAt: null })
    expect(await deliveriesOf(database, uuid)).toMatchObject({ retry_requested: true, due_at: now() })
  })

  it('leaves one in the hands that are sending it right now', async () => {
    const leaseEnd = inMs(60_000)
    const { id, uuid } = await written({ status: 'failed', nextAttemptAt: now(), dueAt: leaseEnd })
    expectSuccess(await retry(id))
    expect(await deliveriesOf(database, uuid)).toMatchObject({ retry_requested: true, due_at: leaseEnd })
  })

  it('sends a delivered event again with force; it is pending meanwhile', async () => {
    const { id, uuid } = await written({ status: 'delivered' })
    const data = expectSuccess(await retry(id, { force: true }))
    expect(data).toMatchObject({ status: 'pending', deliveredAt: null, attempts: 1 })
    expect(data.deliveryAttempts).toMatchObject([{ responseCode: 200 }])
    expect(await deliveriesOf(database, uuid)).toMatchObject({
      due_at: now(),
      next_attempt_at: null,
      delivered_at: null,
    })
  })

  it('works for a disabled webhook', async () => {
    const disabled = await subscribe(staging)
    expectSuccess(await staging.patch(`/v1/webhooks/${disabled.id}`, { status: 'disabled' }))
    const { id, uuid } = await written({ status: 'pending' }, disabled.id)
    expectSuccess(await retry(id))
    expect(await deliveriesOf(database, uuid)).toMatchObject({ retry_requested: true, due_at: now() })
  })

  it('asked many times at once queues it once', async () => {
    const { id, uuid } = await written({ status: 'failed' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => retry(id)))
    for (const answer of answers) expect(expectSuccess(answer).status).toBe('pending')
    expect(await deliveriesOf(database, uuid)).toMatchObject({ retry_requested: true, due_at: now(), attempts: 1 })
  })
})

describe('400', () => {
  it.each([
    ['VALIDATION_ERROR', { force: 'true' }],
    ['VALIDATION_ERROR', { force: 1 }],
    ['VALIDATION_ERROR', { force: null }],
    ['PARSE_ERROR', []],
  ])('%s %j', async (code, body) => {
    const { id } = await written({ status: 'failed' })
    expectError(await retry(id, body), 400, code)
  })
})

describe('404', () => {
  it.each([unknownEvent, ...oddIds])('%s', async (id) => {
    expectError(await retry(id), 404, 'NOT_FOUND', /^Webhook event not found$/)
  })

  it("refuses another tenant's", async () => {
    const { id } = await written({ status: 'failed' })
    expectError(await service.production.post(`/v1/webhooks/events/${id}/retry`), 404, 'NOT_FOUND')
  })
})

describe('409', () => {
  it('refuses a delivered event', async () => {
    const { id, uuid } = await written({ status: 'delivered' })
    expectError(await retry(id), 409, 'CONFLICT', /force/)
    expectError(await retry(id, { force: false }), 409, 'CONFLICT', /force/)
    expect(await deliveriesOf(database, uuid)).toMatchObject({ status: 'delivered', due_at: null })
  })

  it('refuses for a deleted webhook', async () => {
    const gone = await subscribe(staging)
    const { id } = await written({ status: 'failed' }, gone.id)
    expectSuccess(await staging.delete(`/v1/webhooks/${gone.id}`))
    expectError(await retry(id, { force: true }), 409, 'CONFLICT', /deleted/)
  })
})
