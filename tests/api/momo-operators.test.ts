import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService()

describe('200', () => {
  it('lists the operators of Nigeria, and how their customers agree to a collection', async () => {
    const { operators } = expectSuccess(await service.staging.get('/v1/momo/operators'))
    const approvals = operators.map((one: { slug: string; requiresOtp: boolean }) => [one.slug, one.requiresOtp])
    expect(Object.fromEntries(approvals)).toEqual({
      'mtn-momo': false,
      'airtel-smartcash': false,
      '9psb': true,
      moneymaster: true,
    })
    for (const operator of operators) {
      expect(operator).toEqual({
        name: expect.stringMatching(/\S/),
        slug: expect.any(String),
        country: 'NG',
        currency: 'NGN',
        prefixes: expect.arrayContaining([expect.stringMatching(/^[1-9]\d+$/)]),
        supports: { transfer: true, collection: true },
        requiresOtp: expect.any(Boolean),
        minAmount: 1,
        maxAmount: 9_007_199_254_740_991,
        status: 'active',
      })
    }
  })

  it('is the same in production, where it needs no rail', async () => {
    const [staging, production] = await Promise.all([
      service.staging.get('/v1/momo/operators'),
      service.production.get('/v1/momo/operators'),
    ])
    expect(expectSuccess(production)).toEqual(expectSuccess(staging))
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/momo/operators', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})
