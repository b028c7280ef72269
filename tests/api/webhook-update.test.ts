import { describe, expect, it } from 'vitest'
import { parseId } from '#platform/ids.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { oddIds, subscribe, unknownWebhook } from '#tests/webhooks/requests.ts'

const service = await useService({ roles: ['api'] })
const { id } = await subscribe(service.staging)
const change = (body: unknown, of = id) => service.staging.patch(`/v1/webhooks/${of}`, body)

describe('200', () => {
  it('changes the named fields only', async () => {
    const before = expectSuccess(await service.staging.get(`/v1/webhooks/${id}`))
    const url = 'https://elsewhere.example/'
    const moved = expectSuccess(await change({ url }))
    expect(moved).toEqual({ ...before, url, updatedAt: moved.updatedAt })
    const fewer = expectSuccess(await change({ events: ['transfer.failed'], secret: 'x', id: 'y' }))
    expect(fewer).toEqual({ ...moved, events: ['transfer.failed'], updatedAt: fewer.updatedAt })
    expect(expectSuccess(await service.staging.get(`/v1/webhooks/${id}`))).toEqual(fewer)
    expect(expectSuccess(await change({}))).toMatchObject({ url, events: ['transfer.failed'], status: 'active' })
  })

  it('active forgets that the service had disabled it, and why', async () => {
    const disabled = expectSuccess(await change({ status: 'disabled' }))
    expect(disabled).toMatchObject({ status: 'disabled', disabledReason: null })
    await asOwner(
      service.database,
      `update webhook_subscription set disabled_because = 'FAILING', failing_since = created_at where id = $1`,
      [parseId('webhook', id)],
    )
    const shown = expectSuccess(await service.staging.get(`/v1/webhooks/${id}`))
    expect(shown).toMatchObject({ disabledReason: 'FAILING', failingSince: shown.createdAt })
    // A request that changes nothing keeps the reason.
    expect(expectSuccess(await change({ status: 'disabled' })).disabledReason).toBe('FAILING')
    const active = expectSuccess(await change({ status: 'active' }))
    expect(active).toMatchObject({ status: 'active', disabledReason: null, failingSince: null })
  })

  it('takes effect with the very next event', async () => {
    const { staging } = await service.addBusiness('Next')
    const made = await subscribe(staging, { events: ['transfer.failed'] })
    const trigger = async (event: string) =>
      expectSuccess(await staging.post('/v1/sandbox/webhooks/trigger', { event })).queued
    expect(await trigger('transfer.success')).toBe(0)
    for (const [events, status, queued] of [
      [['transfer.success'], 'active', 1],
      [['transfer.success'], 'disabled', 0],
      [['transfer.success'], 'active', 1],
      [['transfer.failed'], 'active', 0],
    ] as const) {
      expectSuccess(await staging.patch(`/v1/webhooks/${made.id}`, { events, status }))
      expect(await trigger('transfer.success')).toBe(queued)
    }
    expectSuccess(await staging.delete(`/v1/webhooks/${made.id}`))
    expect(await trigger('transfer.failed')).toBe(0)
  })

  it('many at once each take effect', async () => {
    const made = await subscribe(service.staging)
    const urls = Array.from({ length: 10 }, (_, index) => `https://example.com/${index}`)
    const answers = await Promise.all([
      ...urls.map((url) => change({ url }, made.id)),
      change({ events: ['deposit.success'] }, made.id),
      change({ status: 'disabled' }, made.id),
    ])
    for (const answer of answers) expectSuccess(answer)
    const last = expectSuccess(await service.staging.get(`/v1/webhooks/${made.id}`))
    expect(urls).toContain(last.url)
    expect(last).toMatchObject({ events: ['deposit.success'], status: 'disabled' })
  })
})

describe('400', () => {
  it.each([
    ['url', { url: 'http://example.com' }],
    ['url', { url: null }],
    ['events', { events: [] }],
    ['status', { status: 'deleted' }],
    ['status', { status: 'ACTIVE' }],
  ])('%s %j', async (field, body) => {
    const answer = await change(body)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })

  it('needs a body', async () => {
    expectError(await service.staging.call(`/v1/webhooks/${id}`, { method: 'PATCH' }), 400, 'PARSE_ERROR')
  })
})

describe('404', () => {
  it.each([unknownWebhook, ...oddIds])('%s', async (unknown) => {
    expectError(await change({}, unknown), 404, 'NOT_FOUND')
  })
})
