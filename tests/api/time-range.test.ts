// A range of times may begin before the first record and end after the last one, also in a year that PostgreSQL does
// not have.

import { describe, expect, it } from 'vitest'
import { expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { operations } from '#tests/openapi/document.ts'

const service = await shareService()

const lists = operations.filter(
  ({ method, operation }) =>
    method === 'GET' && ((operation['parameters'] ?? []) as { name?: string }[]).some(({ name }) => name === 'from'),
)

describe.each([
  ['0000-01-01', '0000-01-01'],
  ['0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59.999999999-23:59'],
  ['9999-12-31', '9999-12-31'],
])('from %s to %s', (from, to) => {
  it.each(lists.map(({ path }) => path))('GET %s', async (path) => {
    expectSuccess(await service.staging.get(`${path}?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`))
  })

  it('POST /v1/webhooks/events/retry', async () => {
    expect(expectSuccess(await service.staging.post('/v1/webhooks/events/retry', { from, to }))).toEqual({ queued: 0 })
  })
})
