import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { newCustomer } from '#tests/deposits/requests.ts'

const service = await shareService()

describe('200', () => {
  it('is the customer as it was created', async () => {
    const customer = await newCustomer(service.staging, { bvn: '22212345678' })
    expect(expectSuccess(await service.staging.get(`/v1/customers/${customer.reference}`))).toEqual(customer)
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(await service.staging.call('/v1/customers/a', { headers: { Authorization: '' } }), 401, 'UNAUTHORIZED')
  })
})

describe('404', () => {
  it("is an unknown one, and another business's", async () => {
    const { reference } = await newCustomer(service.staging)
    expectError(await service.staging.get('/v1/customers/unknown'), 404, 'NOT_FOUND', /^Customer not found$/)
    expectError(await service.production.get(`/v1/customers/${reference}`), 404, 'NOT_FOUND')
    expectError(await service.staging.get(`/v1/customers/${String(reference).toLowerCase()}`), 404, 'NOT_FOUND')
  })
})
