import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()

describe('200', () => {
  it('shows the opening balance on staging and nothing on production', async () => {
    const staging = expectSuccess(await service.staging.get('/v1/balance'))
    expect(staging).toEqual({
      balances: [{ currency: 'NGN', available: 100_000_000_000, reserved: 0, ledger: 100_000_000_000 }],
    })
    const production = expectSuccess(await service.production.get('/v1/balance'))
    expect(production).toEqual({ balances: [{ currency: 'NGN', available: 0, reserved: 0, ledger: 0 }] })
  })

  it('answers many at once, each business with its own', async () => {
    const other = await service.addBusiness('Other')
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? service.staging : other.production).get('/v1/balance'),
      ),
    )
    answers.forEach((answer, index) => {
      expect(expectSuccess(answer).balances[0].available).toBe(index % 2 === 0 ? 100_000_000_000 : 0)
    })
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(
      await service.staging.call('/v1/balance', { headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
      /^Session not found/,
    )
  })
})
