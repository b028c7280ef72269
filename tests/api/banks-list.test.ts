import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()

describe('200', () => {
  it('lists all banks by name, the same in both environments', async () => {
    const answer = await service.staging.get('/v1/banks')
    const { banks } = expectSuccess(answer)
    expect(answer.body.meta).toBeUndefined()
    expect(banks).toHaveLength(204)
    expect(banks.find((bank: { slug: string }) => bank.slug === 'guaranty-trust-bank')).toEqual({
      name: 'Guaranty Trust Bank',
      slug: 'guaranty-trust-bank',
      code: '058',
      nipCode: '000013',
      type: 'commercial',
      country: 'NG',
      currency: 'NGN',
      active: true,
    })
    expect(expectSuccess(await service.production.get('/v1/banks')).banks).toEqual(banks)
  })

  it('shows null, and never leaves out, a NIP code that is not known', async () => {
    const { banks } = expectSuccess(await service.staging.get('/v1/banks?search=prospa'))
    expect(banks).toMatchObject([{ slug: 'prospa-capital-microfinance-bank-ng', nipCode: null }])
  })

  it.each([
    ['?search=zenith', 1],
    ['?search=ZENITH%20bank', 1],
    ['?search=', 204],
    ['?search=+', 204],
    ['?search=atlantis', 0],
    ['?page=7&limit=1', 204],
  ])('for %s lists %d', async (query, count) => {
    expect(expectSuccess(await service.staging.get(`/v1/banks${query}`)).banks).toHaveLength(count)
  })
})

describe('400', () => {
  it.each([`?search=${'a'.repeat(101)}`, '?search=a&search=b'])('refuses %s, naming the parameter', async (query) => {
    const answer = await service.staging.get(`/v1/banks${query}`)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['search'])
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(
      await service.staging.call('/v1/banks', { headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
      /^Session not found/,
    )
  })
})

describe('405', () => {
  it('answers only reads', async () => {
    const answer = await service.staging.post('/v1/banks', {})
    expectError(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
  })
})
