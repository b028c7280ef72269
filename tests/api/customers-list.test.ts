import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { newCustomer } from '#tests/deposits/requests.ts'

const service = await shareService()

describe('200', () => {
  it('lists all, the latest first, page by page', async () => {
    const made: unknown[] = []
    for (let index = 0; index < 5; index++) made.unshift(await newCustomer(service.staging))
    const all = await service.staging.get('/v1/customers')
    expect(expectSuccess(all).customers).toEqual(made)
    expect(all.body.meta?.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 5,
      totalPage: 1,
      hasNext: false,
      hasPrev: false,
    })
    expect(expectSuccess(await service.staging.get('/v1/customers?page=2&limit=2')).customers).toEqual(made.slice(2, 4))
    expect(expectSuccess(await service.staging.get('/v1/customers?page=3&limit=2')).customers).toEqual(made.slice(4))
    const past = await service.staging.get('/v1/customers?page=4&limit=2')
    expect({ ...expectSuccess(past), ...past.body.meta?.pagination }).toMatchObject({
      customers: [],
      total: 5,
      hasNext: false,
      hasPrev: true,
    })
  })

  it('shows nothing of another business', async () => {
    const other = await service.addBusiness('Other')
    for (const client of [other.staging, service.production])
      expect(expectSuccess(await client.get('/v1/customers')).customers).toEqual([])
  })
})

describe('400', () => {
  it.each(['page=0', 'limit=0', 'limit=x'])('refuses %s', async (query) => {
    expectError(await service.staging.get(`/v1/customers?${query}`), 400, 'VALIDATION_ERROR')
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(await service.staging.call('/v1/customers', { headers: { Authorization: '' } }), 401, 'UNAUTHORIZED')
  })
})
