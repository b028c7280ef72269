import { describe, expect, it } from 'vitest'
import { parseId } from '#platform/ids.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { oddIds, subscribe, unknownWebhook } from '#tests/webhooks/requests.ts'

const service = await useService({ clock: createFakeClock(), roles: ['api'] })
const made = await subscribe(service.staging)
const rotate = (body?: unknown, id = made.id) => service.staging.post(`/v1/webhooks/${id}/rotate-secret`, body)
const inHours = (hours: number): string => new Date(service.ctx.clock.now() + hours * 3_600_000).toISOString()

describe('200', () => {
  it('answers with a new secret once; the old one lives for a day', async () => {
    const answer = expectSuccess(await rotate())
    const { secret: _old, ...same } = made
    expect(answer).toEqual({
      ...same,
      secret: expect.stringMatching(/^whsec_/),
      oldSecretExpiresAt: inHours(24),
      updatedAt: answer.updatedAt,
    })
    expect(answer.secret).not.toBe(made.secret)
    const shown = await service.staging.get(`/v1/webhooks/${made.id}`)
    expect(shown.text).not.toContain(answer.secret)
    expect(expectSuccess(shown)).toMatchObject({
      secretHint: `whsec_…${answer.secret.slice(-5)}`,
      oldSecretExpiresAt: inHours(24),
    })
    expect(service.lines.join('')).not.toContain(answer.secret.slice(6))
  })

  it.each([0, 1, 72])('keeps the old one for %d hours', async (expireOldInHours) => {
    const { oldSecretExpiresAt } = expectSuccess(await rotate({ expireOldInHours }))
    expect(oldSecretExpiresAt).toBe(expireOldInHours === 0 ? null : inHours(expireOldInHours))
  })

  it('keeps the last old one alone', async () => {
    const secrets = () =>
      asOwner<{ secret: Buffer; old_secret: Buffer | null }>(
        service.database,
        'select secret, old_secret from webhook_subscription where id = $1',
        [parseId('webhook', made.id)],
      )
    expectSuccess(await rotate())
    const [before] = await secrets()
    expectSuccess(await rotate())
    const [after] = await secrets()
    expect(after?.old_secret?.equals(before?.secret ?? Buffer.alloc(0))).toBe(true)
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([-1, 73, 1.5, '24', null, [], true])('expireOldInHours %j', async (expireOldInHours) => {
    expectError(await rotate({ expireOldInHours }), 400, 'VALIDATION_ERROR', /^expireOldInHours must be a whole number/)
  })
})

describe('404', () => {
  it.each([unknownWebhook, ...oddIds])('%s', async (id) => {
    expectError(await rotate({}, id), 404, 'NOT_FOUND')
  })
})
