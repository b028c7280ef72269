import { describe, expect, it } from 'vitest'
import { eventNames } from '#events/catalogue.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { shareService } from '#tests/support/service.ts'
import { subscribe } from '#tests/webhooks/requests.ts'

// No worker sends here; tests/flows/webhooks.test.ts tests the delivery of samples.
const service = await shareService()
const trigger = (body: unknown) => service.staging.post('/v1/sandbox/webhooks/trigger', body)

describe('200', () => {
  it('writes a sample for every webhook that named it, and for no other', async () => {
    expect(expectSuccess(await trigger({ event: 'transfer.failed' }))).toEqual({
      event: 'transfer.failed',
      queued: 0,
      events: [],
    })
    const [one, two] = [await subscribe(service.staging), await subscribe(service.staging)]
    await subscribe(service.staging, { events: ['transfer.success'] })
    const off = await subscribe(service.staging)
    expectSuccess(await service.staging.patch(`/v1/webhooks/${off.id}`, { status: 'disabled' }))
    const data = expectSuccess(await trigger({ event: 'transfer.failed' }))
    expect(data).toMatchObject({ event: 'transfer.failed', queued: 2 })
    expect(data.events.map(({ webhookId }: { webhookId: string }) => webhookId)).toEqual([off.id, two.id, one.id])
    const references = new Set(data.events.map(({ reference }: { reference: string }) => reference))
    expect(references.size).toBe(1)
    expect(data.events[1]).toMatchObject({
      event: 'transfer.failed',
      reference: expect.stringMatching(/^SAMPLE-[0-9A-Z]{26}$/),
      url: two.url,
      environment: 'sandbox',
      status: 'pending',
      attempts: 0,
      maxAttempts: 5,
      nextAttemptAt: expect.stringMatching(/Z$/),
      deliveryAttempts: [],
    })
    expect(data.events[0].nextAttemptAt).toBeNull()
    const rows = await asOwner<{ sample: boolean }>(service.database, 'select sample from event where reference = $1', [
      data.events[0].reference,
    ])
    expect(rows).toEqual([{ sample: true }])
  })

  it.each(eventNames)('%s', async (event) => {
    const { events } = expectSuccess(await trigger({ event }))
    const { payload } = expectSuccess(await service.staging.get(`/v1/webhooks/events/${events[0].id}`))
    expect(payload).toMatchObject({ event, type: event, reference: events[0].reference })
    expect(payload.data.reference).toBe(payload.reference)
  })

  it('moves no money', async () => {
    const before = expectSuccess(await service.staging.get('/v1/balance'))
    await trigger({ event: 'deposit.success' })
    expect(expectSuccess(await service.staging.get('/v1/balance'))).toEqual(before)
    expect(expectSuccess(await service.staging.get('/v1/deposits')).deposits).toEqual([])
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([{}, { event: 'webhook.test' }, { event: '' }, { event: 1 }, { event: ['transfer.success'] }])(
    '%j',
    async (body) => {
      expectError(
        await trigger(body),
        400,
        'VALIDATION_ERROR',
        /^event (must be one of transfer.success, |is required)/,
      )
    },
  )
})

describe('403', () => {
  it('is not for production', async () => {
    const answer = await service.production.post('/v1/sandbox/webhooks/trigger', { event: 'transfer.success' })
    expectError(answer, 403, 'FORBIDDEN')
  })
})
