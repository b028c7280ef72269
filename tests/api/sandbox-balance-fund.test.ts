import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { balanceOf } from '#tests/payments/requests.ts'

const service = await shareService()
const path = '/v1/sandbox/balance/fund'
const opening = 100_000_000_000
/** Half of the largest integer of JSON, because the reserved amount must fit beside it. */
const most = Number.MAX_SAFE_INTEGER

describe('200', () => {
  it('adds money that can be spent at once', async () => {
    const data = expectSuccess(await service.staging.post(path, { amount: 250 }))
    expect(data).toEqual({ amount: 250, available: opening + 250, currency: 'NGN' })
    expect(await balanceOf(service.staging)).toEqual({
      currency: 'NGN',
      available: opening + 250,
      reserved: 0,
      ledger: opening + 250,
    })
  })

  it('adds everything that is asked for at once', async () => {
    const other = await service.addBusiness('Other')
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => other.staging.post(path, { amount: index + 1 })),
    )
    const available = answers.map((answer): number => expectSuccess(answer).available)
    expect(Math.max(...available)).toBe(opening + 5_050)
    expect(new Set(available).size).toBe(100)
    expect((await balanceOf(other.staging)).available).toBe(opening + 5_050)
  })

  it('fills up to what JSON can show and not one kobo further', async () => {
    const rich = await service.addBusiness('Rich')
    expect(expectSuccess(await rich.staging.post(path, { amount: most - opening })).available).toBe(most)
    const answer = await rich.staging.post(path, { amount: 1 })
    expectError(
      answer,
      400,
      'VALIDATION_ERROR',
      'amount would take the balance above 9007199254740991, the largest amount',
    )
    expect((await balanceOf(rich.staging)).available).toBe(most)
  })
})

describe('400', () => {
  it.each([0, -1, 1.5, '100', 2 ** 53, undefined])('refuses the amount %j', async (amount) => {
    const answer = await service.staging.post(path, { amount })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['amount'])
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call(path, {
      method: 'POST',
      body: { amount: 1 },
      headers: { Authorization: '' },
    })
    expectError(answer, 401, 'UNAUTHORIZED')
  })
})

describe('403', () => {
  it.each([{ amount: 100 }, { amount: 'wrong' }, undefined])(
    'answers in production, whatever is sent (%j)',
    async (body) => {
      expectError(await service.production.post(path, body), 403, 'FORBIDDEN')
      expect((await balanceOf(service.production)).ledger).toBe(0)
    },
  )
})
