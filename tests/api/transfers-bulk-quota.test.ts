// A bulk request counts as one request for every ten items that it begins, at most as the whole quota of a minute.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

const quota = 20
const clock = createFakeClock()
const service = await useService({ settings: { RATE_LIMIT_PER_MINUTE: String(quota) }, clock, roles: ['api'] })
const remaining = ({ headers }: Answer): number => Number(headers['x-ratelimit-remaining'])
const body = (items: number): { transfers: Record<string, unknown>[] } => ({
  transfers: Array.from({ length: items }, () => transferBody({ accountNumber: neverEnding })),
})
const path = '/v1/transfers/bulk'

describe('200', () => {
  it.each([
    [1, 1],
    [10, 1],
    [11, 2],
    [100, 10],
    [200, 20],
    [201, 20],
    [1_000, 20],
  ])('%i items count as %i', async (items, counted) => {
    clock.advance(60_000)
    const answer = await service.staging.post(path, body(items))
    expect(expectSuccess(answer).accepted).toBe(items)
    expect(remaining(answer)).toBe(quota - counted)
    expect(Number(answer.headers['x-ratelimit-limit'])).toBe(quota)
  })
})

describe('400', () => {
  it('counts as one if its body is no list of items', async () => {
    clock.advance(60_000)
    for (const transfers of [[], Array.from({ length: 1_001 }, () => null)]) {
      expectError(await service.staging.post(path, { transfers }), 400, 'VALIDATION_ERROR')
    }
    expect(remaining(await service.staging.get('/v1/balance'))).toBe(quota - 3)
  })
})

describe('429', () => {
  it('if less of the quota is left than the request needs; it stores nothing, and the rest serves smaller requests', async () => {
    clock.advance(60_000)
    expect(remaining(await service.staging.post(path, body(91)))).toBe(10)
    const large = body(101)
    const answer = await service.staging.post(path, large)
    expectError(
      answer,
      429,
      'RATE_LIMIT_EXCEEDED',
      /^This request counts as 11, and 9 of 20 are left in this minute\. Try again in \d+ s\.$/,
    )
    expect(remaining(answer)).toBe(9)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    const references = large.transfers.map(({ reference }) => reference)
    const query = 'select 1 from payment where reference = any($1)'
    expect(await asOwner(service.database, query, [references])).toEqual([])
    const fits = await service.staging.post(path, body(90))
    expect(expectSuccess(fits).accepted).toBe(90)
    expect(remaining(fits)).toBe(0)
    expectError(await service.staging.get('/v1/balance'), 429, 'RATE_LIMIT_EXCEEDED', /^Over 20 requests/)
    clock.advance(60_000)
    expect(expectSuccess(await service.staging.post(path, large)).accepted).toBe(101)
  })
})
