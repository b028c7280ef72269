import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { customerBody, newReference } from '#tests/deposits/requests.ts'

const service = await useService({ roles: ['api'] })
const create = (body: unknown) => service.staging.post('/v1/customers', body)

describe('200', () => {
  it('creates a customer and shows it, without the BVN', async () => {
    const bvn = '22212345678'
    const body = customerBody({ phoneNumber: '08030000000', bvn, metadata: { tier: 'gold' } })
    const answer = await create(body)
    const data = expectSuccess(answer)
    expect(data).toEqual({
      id: expect.stringMatching(/^cus_[0-9a-z]{26}$/),
      reference: body['reference'],
      firstName: 'Ada',
      lastName: 'Obi',
      email: 'ada@example.com',
      phoneNumber: '+2348030000000',
      status: 'ACTIVE',
      bvnVerified: false,
      metadata: { tier: 'gold' },
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: data.createdAt,
    })
    expect(answer.text).not.toContain(bvn)
    const [row] = await asOwner<{ bvn: Buffer }>(service.database, 'select bvn from customer where reference = $1', [
      body['reference'],
    ])
    expect(row?.bvn.length).toBeGreaterThan(bvn.length)
    expect(row?.bvn.toString('latin1')).not.toContain(bvn)
    expect(service.lines.join('')).not.toContain(bvn)
  })

  it('shows missing fields as null', async () => {
    const reference = newReference()
    const data = expectSuccess(await create({ reference, firstName: 'Ada', lastName: 'Obi', email: null, unknown: 1 }))
    expect(data).toMatchObject({ email: null, phoneNumber: null, metadata: null })
  })

  it('creates in production without a rail, apart from staging', async () => {
    const body = customerBody()
    const ids = await Promise.all(
      [service.staging, service.production].map(
        async (client) => expectSuccess(await client.post('/v1/customers', body)).id,
      ),
    )
    expect(new Set(ids).size).toBe(2)
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([
    ['reference', { reference: ' a' }],
    ['reference', { reference: undefined }],
    ['firstName', { firstName: '' }],
    ['lastName', { lastName: 7 }],
    ['email', { email: 'ada' }],
    ['phoneNumber', { phoneNumber: '12' }],
    ['bvn', { bvn: 12_345_678_901 }],
    ['bvn', { bvn: '1234567890' }],
    ['metadata', { metadata: [] }],
  ])('%s %j', async (field, changes) => {
    const answer = await create(customerBody(changes))
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(
      await service.staging.call('/v1/customers', { method: 'POST', body: {}, headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
    )
  })
})

describe('409', () => {
  it('refuses a reference that exists, also to the very same request', async () => {
    const body = customerBody()
    expectSuccess(await create(body))
    expectError(await create(body), 409, 'CONFLICT', /^A customer with this reference already exists$/)
  })

  it('lets one of many at once win', async () => {
    const body = customerBody({ reference: newReference() })
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  })
})
