import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { oddIds, subscribe, unknownWebhook } from '#tests/webhooks/requests.ts'

const service = await shareService()

describe('200', () => {
  it('shows a hint instead of the secret', async () => {
    const { secret, ...made } = await subscribe(service.staging)
    const answer = await service.staging.get(`/v1/webhooks/${made.id}`)
    expect(expectSuccess(answer)).toEqual({
      ...made,
      secretHint: `whsec_…${secret.slice(-5)}`,
      disabledReason: null,
      failingSince: null,
      oldSecretExpiresAt: null,
    })
    expect(answer.text).not.toContain(secret)
  })
})

describe('404', () => {
  it.each([unknownWebhook, ...oddIds])('%s is nobody', async (id) => {
    expectError(await service.staging.get(`/v1/webhooks/${id}`), 404, 'NOT_FOUND', /^Webhook not found$/)
  })

  it("refuses another tenant's and a deleted one", async () => {
    const { id } = await subscribe(service.staging)
    const other = await service.addBusiness('Other')
    for (const client of [service.production, other.staging]) {
      expectError(await client.get(`/v1/webhooks/${id}`), 404, 'NOT_FOUND')
    }
    expectSuccess(await service.staging.delete(`/v1/webhooks/${id}`))
    expectError(await service.staging.get(`/v1/webhooks/${id}`), 404, 'NOT_FOUND')
  })
})
