import { describe, expect, it } from 'vitest'
import { eraseCustomer } from '#privacy/erase.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { newCustomer } from '#tests/deposits/requests.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const patch = (reference: string, body: unknown) => service.staging.patch(`/v1/customers/${reference}`, body)

describe('200', () => {
  it('changes the given fields and leaves the others', async () => {
    const customer = await newCustomer(service.staging, { phoneNumber: '08030000000', metadata: { a: '1' } })
    clock.advance(1_000)
    const changed = expectSuccess(
      await patch(customer.reference, { lastName: 'Eze', email: 'eze@example.com', reference: 'other' }),
    )
    const updatedAt = new Date(clock.now()).toISOString()
    expect(changed).toEqual({ ...customer, lastName: 'Eze', email: 'eze@example.com', updatedAt })
    expect(expectSuccess(await service.staging.get(`/v1/customers/${customer.reference}`))).toEqual(changed)
  })

  it('erases a field that is set to null', async () => {
    const customer = await newCustomer(service.staging, {
      phoneNumber: '08030000000',
      metadata: { a: '1' },
      bvn: '22212345678',
    })
    const nothing = { email: null, phoneNumber: null, metadata: null }
    expect(expectSuccess(await patch(customer.reference, { ...nothing, bvn: null }))).toMatchObject(nothing)
    expect(
      await asOwner(service.database, 'select bvn from customer where reference = $1', [customer.reference]),
    ).toEqual([{ bvn: null }])
  })

  it('keeps the fields that neither of two simultaneous requests names', async () => {
    const { reference } = await newCustomer(service.staging)
    await Promise.all([patch(reference, { firstName: 'Ngozi' }), patch(reference, { lastName: 'Bello' })])
    expect(expectSuccess(await patch(reference, {}))).toMatchObject({ firstName: 'Ngozi', lastName: 'Bello' })
  })
})

describe('400', () => {
  it.each([
    [{ firstName: null }, 'firstName'],
    [{ email: 'x' }, 'email'],
    [{ bvn: '1' }, 'bvn'],
  ])('refuses %j', async (body, field) => {
    const { reference } = await newCustomer(service.staging)
    const answer = await patch(reference, body)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.[0]?.field).toBe(field)
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const options = { method: 'PATCH', body: {}, headers: { Authorization: '' } }
    expectError(await service.staging.call('/v1/customers/a', options), 401, 'UNAUTHORIZED')
  })
})

describe('404', () => {
  it("is an unknown one, and another business's, which stays as it is", async () => {
    const customer = await newCustomer(service.staging)
    expectError(await patch('unknown', {}), 404, 'NOT_FOUND', /^Customer not found$/)
    expectError(
      await service.production.patch(`/v1/customers/${customer.reference}`, { firstName: 'X' }),
      404,
      'NOT_FOUND',
    )
    expect(expectSuccess(await service.staging.get(`/v1/customers/${customer.reference}`))).toEqual(customer)
  })
})

describe('409', () => {
  it('is one that has been erased, which stays so', async () => {
    const { reference } = await newCustomer(service.staging)
    await eraseCustomer(service.ctx, service.business.tenants.staging, { reference, note: 'test' })
    const erased = expectSuccess(await service.staging.get(`/v1/customers/${reference}`))
    expectError(await patch(reference, { firstName: 'X' }), 409, 'CONFLICT', /^This customer has been erased$/)
    expect(expectSuccess(await service.staging.get(`/v1/customers/${reference}`))).toEqual(erased)
    expect(erased).toMatchObject({ status: 'ERASED', firstName: 'erased', lastName: 'erased', email: null })
  })
})
