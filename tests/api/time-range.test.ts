// A range of times may begin before the first record and end after the last one, also in a year that PostgreSQL does
// not have. Its days must exist.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
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

it.each(lists.map(({ path }) => path))('GET %s says how to write the + of a time', async (path) => {
  const answer = await service.staging.get(`${path}?from=2026-01-01T00:00:00+01:00`)
  expectError(answer, 400, 'VALIDATION_ERROR', 'from has a space in place of +: in a query, write + as %2B')
})

it('the figures of the dashboard have a time after the year 9999, too', async () => {
  const owner = await addPerson(service, { role: 'owner' })
  const time = encodeURIComponent('9999-12-31T23:59:59-23:59')
  expectSuccess(await owner.get(`${below(service, 'staging')}/figures?from=${time}&to=${time}&by=hour`))
})

describe.each(['2026-06-31', '2026-02-29', '2026-02-30T12:00:00Z'])('the day %s, which does not exist', (day) => {
  it.each(lists.map(({ path }) => path))('is refused by GET %s', async (path) => {
    const answer = await service.staging.get(`${path}?from=${encodeURIComponent(day)}`)
    expectError(answer, 400, 'VALIDATION_ERROR', 'from must be a day that exists')
  })

  it('is refused by POST /v1/webhooks/events/retry', async () => {
    const answer = await service.staging.post('/v1/webhooks/events/retry', { from: '2026-01-01', to: day })
    expectError(answer, 400, 'VALIDATION_ERROR', 'to must be a day that exists')
  })
})
