import { describe, expect, it } from 'vitest'
import { parseId } from '#platform/ids.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { shareService } from '#tests/support/service.ts'
import { oddIds, subscribe, unknownWebhook } from '#tests/webhooks/requests.ts'

const service = await shareService()

describe('200', () => {
  it('forgets the secrets, old and new', async () => {
    const { id } = await subscribe(service.staging)
    expectSuccess(await service.staging.post(`/v1/webhooks/${id}/rotate-secret`))
    expect(expectSuccess(await service.staging.delete(`/v1/webhooks/${id}`))).toEqual({ id, deleted: true })
    const rows = await asOwner(
      service.database,
      'select status, secret, old_secret, old_secret_until from webhook_subscription where id = $1',
      [parseId('webhook', id)],
    )
    expect(rows).toEqual([{ status: 'deleted', secret: null, old_secret: null, old_secret_until: null }])
  })

  it('deletes one that the service has disabled', async () => {
    const { id } = await subscribe(service.staging)
    await asOwner(
      service.database,
      `update webhook_subscription set status = 'disabled', disabled_because = 'GONE' where id = $1`,
      [parseId('webhook', id)],
    )
    expectSuccess(await service.staging.delete(`/v1/webhooks/${id}`))
  })
})

describe('404', () => {
  it('answers the second time, and to everything else about it', async () => {
    const { id } = await subscribe(service.staging)
    expectSuccess(await service.staging.delete(`/v1/webhooks/${id}`))
    expectError(await service.staging.delete(`/v1/webhooks/${id}`), 404, 'NOT_FOUND')
    expectError(await service.staging.patch(`/v1/webhooks/${id}`, { status: 'active' }), 404, 'NOT_FOUND')
    expectError(await service.staging.post(`/v1/webhooks/${id}/rotate-secret`), 404, 'NOT_FOUND')
    expectError(await service.staging.post(`/v1/webhooks/${id}/test`), 404, 'NOT_FOUND')
  })

  it.each([unknownWebhook, ...oddIds])('%s', async (id) => {
    expectError(await service.staging.delete(`/v1/webhooks/${id}`), 404, 'NOT_FOUND')
  })

  it("leaves another tenant's alone", async () => {
    const { id } = await subscribe(service.staging)
    expectError(await service.production.delete(`/v1/webhooks/${id}`), 404, 'NOT_FOUND')
    expectSuccess(await service.staging.get(`/v1/webhooks/${id}`))
  })
})
