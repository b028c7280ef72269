// A receiver on the operator's own machine is allowed only on a developer's machine. An environment with a public base
// address runs behind a proxy, and its loopback has the operator's other services.

import { describe, expect, it } from 'vitest'
import { randomBytes } from 'node:crypto'
import { createTestDatabase } from '#tests/support/database.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { startService } from '#tests/support/service.ts'
import { subscribe, subscriptionBody } from './requests.ts'

const publicly = {
  'staging alone': { STAGING_BASE_URL: 'https://staging.pay.example.com/staging' },
  'production, on the same socket': { PRODUCTION_BASE_URL: 'https://pay.example.com/production' },
  'every address of the machine': { HOST: '0.0.0.0' },
}

describe.each(Object.entries(publicly))('a server whose callers come from elsewhere: %s', (_what, settings) => {
  it('takes no receiver on loopback, and calls none that it took before', async () => {
    const database = await createTestDatabase()
    const secretKey = randomBytes(32)
    const inside = await startReceiver()
    const before = await startService({ database, secretKey, roles: ['api'] })
    const { id } = await subscribe(before.staging, { url: inside.url() })
    expect(expectSuccess(await before.staging.post(`/v1/webhooks/${id}/test`))).toMatchObject({ delivered: true })
    const behindProxy = await startService({ database, secretKey, settings, roles: ['api'] })
    const client = (path: string, body: unknown) =>
      behindProxy.staging.call(path, { method: 'POST', body, headers: { Authorization: `Bearer ${before.testKey}` } })

    expectError(await client('/v1/webhooks', subscriptionBody({ url: inside.url() })), 400, 'VALIDATION_ERROR', /https/)
    const secure = inside.url().replace('http:', 'https:')
    const taken = expectSuccess(await client('/v1/webhooks', subscriptionBody({ url: secure })))
    for (const webhook of [id, taken.id]) {
      const tested = expectSuccess(await client(`/v1/webhooks/${webhook}/test`, {}))
      expect(tested).toMatchObject({ delivered: false, responseCode: null, responseBody: null })
      expect(tested.error).toMatch(/not a public one/)
    }
    expect(inside.deliveries).toHaveLength(1)
    for (const service of [behindProxy, before]) await service.stop()
    await inside.close()
    await database.drop()
  })
})
