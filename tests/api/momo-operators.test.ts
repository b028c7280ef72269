import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()

describe('200', () => {
  it('lists the operators of Nigeria, and how their customers agree to a collection', async () => {
    const { operators } = expectSuccess(await service.staging.get('/v1/momo/operators?country=NG'))
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
        decimals: 2,
        prefixes: expect.arrayContaining([expect.stringMatching(/^[1-9]\d+$/)]),
        recipient: 'phone',
        supports: { transfer: true, collection: true },
        requiresOtp: expect.any(Boolean),
        minAmount: 1,
        maxAmount: 9_007_199_254_740_991,
        status: 'active',
      })
    }
  })

  it('lists every country on staging, Nigeria first', async () => {
    const { operators } = expectSuccess(await service.staging.get('/v1/momo/operators'))
    const countries = [...new Set(operators.map(({ country }: { country: string }) => country))]
    expect(countries).toHaveLength(23)
    expect(countries[0]).toBe('NG')
    const tanzanian = expectSuccess(await service.staging.get('/v1/momo/operators?currency=TZS&search=halopesa'))
    expect(tanzanian.operators).toMatchObject([{ slug: 'halotel-tz', country: 'TZ', decimals: 0, minAmount: 100 }])
  })

  it('lists the operators of Nigeria in production, where they need no rail', async () => {
    const [staging, production] = await Promise.all([
      service.staging.get('/v1/momo/operators?country=NG'),
      service.production.get('/v1/momo/operators'),
    ])
    expect(expectSuccess(production)).toEqual(expectSuccess(staging))
  })
})

describe('400', () => {
  it.each(['country=ZZ', 'country=gh', 'currency=EUR'])('names the wrong filter %s', async (query) => {
    const answer = await service.staging.get(`/v1/momo/operators?${query}`)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual([query.split('=')[0]])
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/momo/operators', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})
