import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, phones, rightCode, untilMomo } from '#tests/payments/momo-requests.ts'
import { balanceOf, newReference } from '#tests/payments/requests.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })

async function waiting(): Promise<string> {
  const body = collectBody({ phoneNumber: phones.otp })
  return expectSuccess(await service.staging.post('/v1/momo/collection', body)).reference
}

const verify = (reference: string, otp: unknown): Promise<Answer> =>
  service.staging.post('/v1/momo/collection/verify-otp', { reference, otp })

describe('200', () => {
  it('takes the right code: the collection goes on to SUCCESS', async () => {
    const before = await balanceOf(service.staging)
    const reference = await waiting()
    const data = expectSuccess(await verify(reference, rightCode))
    expect(data).toMatchObject({ reference, status: expect.stringMatching(/^(PENDING|SUCCESS)$/), requiresOtp: true })
    await untilMomo(service.staging, 'collection', reference, 'SUCCESS')
    expect((await balanceOf(service.staging)).ledger - before.ledger).toBe(198_000)
  })

  it('takes the right code again, also many at once, and credits once', async () => {
    const before = await balanceOf(service.staging)
    const reference = await waiting()
    expectSuccess(await verify(reference, rightCode))
    const again = await Promise.all(Array.from({ length: 5 }, () => verify(reference, rightCode)))
    for (const answer of again) expectSuccess(answer)
    await untilMomo(service.staging, 'collection', reference, 'SUCCESS')
    expectSuccess(await verify(reference, rightCode))
    expectError(await verify(reference, '000000'), 409, 'CONFLICT', /SUCCESS/)
    expect((await balanceOf(service.staging)).ledger - before.ledger).toBe(198_000)
  })

  it('takes the right code after a wrong one', async () => {
    const reference = await waiting()
    expectError(await verify(reference, '000000'), 400, 'INVALID_OTP', /2 attempts are left/)
    expectSuccess(await verify(reference, rightCode))
    await untilMomo(service.staging, 'collection', reference, 'SUCCESS')
  })

  it('keeps and logs no code', async () => {
    const reference = await waiting()
    expectError(await verify(reference, '87654321'), 400, 'INVALID_OTP')
    expectSuccess(await verify(reference, rightCode))
    await untilMomo(service.staging, 'collection', reference, 'SUCCESS')
    const [row] = await asOwner(service.database, 'select p::text as text from payment p where reference = $1', [
      reference,
    ])
    const kept = `${JSON.stringify(row)} ${service.lines.join(' ')}`
    expect(kept).not.toContain('87654321')
    expect(kept).not.toMatch(/\b123456\b/)
  })
})

describe('400', () => {
  it('counts wrong codes: the third one ends the collection, and no code helps after that', async () => {
    const before = await balanceOf(service.staging)
    const reference = await waiting()
    expectError(await verify(reference, '000000'), 400, 'INVALID_OTP', /2 attempts are left/)
    expectError(await verify(reference, '000001'), 400, 'INVALID_OTP', /1 attempt is left/)
    expectError(await verify(reference, '000002'), 400, 'INVALID_OTP', /no attempt is left/)
    expectError(await verify(reference, rightCode), 409, 'CONFLICT', /FAILED/)
    expect(expectSuccess(await service.staging.get(`/v1/momo/collection/${reference}`))).toMatchObject({
      status: 'FAILED',
      failureReason: 'OTP_ATTEMPTS_EXCEEDED',
    })
    expect(await balanceOf(service.staging)).toEqual(before)
  })

  it('uses up exactly three attempts on 20 parallel wrong codes', async () => {
    const reference = await waiting()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => verify(reference, String(100_000 + index))),
    )
    for (const answer of answers) expect([400, 409]).toContain(answer.status)
    await untilMomo(service.staging, 'collection', reference, 'FAILED')
    expectError(await verify(reference, rightCode), 409, 'CONFLICT')
    expect(expectSuccess(await service.staging.get(`/v1/momo/collection/${reference}`))).toMatchObject({
      failureReason: 'OTP_ATTEMPTS_EXCEEDED',
      depositReference: null,
    })
  })

  it.each([[123_456], ['123'], ['123456789'], ['12345a'], ['１２３４'], [''], [undefined], [null]])(
    'refuses %j, and no attempt is used',
    async (otp) => {
      const reference = await waiting()
      const answer = await verify(reference, otp)
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details?.map(({ field }) => field)).toEqual(['otp'])
      expectSuccess(await verify(reference, rightCode))
    },
  )

  it("does not find an unknown collection, nor another business's", async () => {
    expectError(await verify(newReference('none'), rightCode), 400, 'COLLECTION_NOT_FOUND', /^Collection not found$/)
    const other = await service.addBusiness('Other')
    const reference = await waiting()
    const answer = await other.staging.post('/v1/momo/collection/verify-otp', { reference, otp: rightCode })
    expectError(answer, 400, 'COLLECTION_NOT_FOUND')
  })
})

describe('409', () => {
  it('when the collection waits for no code', async () => {
    const body = collectBody({ phoneNumber: phones.neverEnding })
    const { reference } = expectSuccess(await service.staging.post('/v1/momo/collection', body))
    expectError(await verify(reference, rightCode), 409, 'CONFLICT', /PENDING and does not wait for a code/)
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const options = { method: 'POST', body: { reference: 'a', otp: rightCode }, headers: { Authorization: '' } }
    expectError(await service.staging.call('/v1/momo/collection/verify-otp', options), 401, 'UNAUTHORIZED')
  })
})

describe('late', async () => {
  const clock = createFakeClock()
  const late = await useService({ clock, settings: { SANDBOX_SETTLE_MS: '20' } })
  const verifyLate = (reference: string): Promise<Answer> =>
    late.staging.post('/v1/momo/collection/verify-otp', { reference, otp: rightCode })

  it('400 OTP_EXPIRED, before and after the loop has ended the collection', async () => {
    const body = collectBody({ phoneNumber: phones.shortOtp })
    const { reference } = expectSuccess(await late.staging.post('/v1/momo/collection', body))
    clock.advance(10_001)
    expectError(await verifyLate(reference), 400, 'OTP_EXPIRED')
    await untilMomo(late.staging, 'collection', reference, 'FAILED')
    expectError(await verifyLate(reference), 400, 'OTP_EXPIRED')
    expect(expectSuccess(await late.staging.get(`/v1/momo/collection/${reference}`))).toMatchObject({
      failureReason: 'OTP_EXPIRED',
    })
  })
})
