import { describe, expect, it } from 'vitest'
import { expectSuccess, type Answer } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, phones } from '#tests/payments/momo-requests.ts'
import { balanceOf } from '#tests/payments/requests.ts'
import { describeMomoSending } from './momo-sending.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })

const post = (body: unknown): Promise<Answer> => service.staging.post('/v1/momo/collection', body)

describe('200', () => {
  it('answers the whole record', async () => {
    const body = collectBody({ phoneNumber: phones.neverEnding })
    const answer = await post(body)
    const data = expectSuccess(answer)
    expect(data).toEqual({
      id: expect.stringMatching(/^mcl_[0-9a-z]{26}$/),
      reference: body['reference'],
      status: 'PENDING',
      isFinal: false,
      requiresOtp: false,
      otpExpiresAt: null,
      expiresAt: new Date(Date.parse(data.createdAt) + 15 * 60_000).toISOString(),
      amount: 200_000,
      fee: 2_000,
      currency: 'NGN',
      phoneNumber: '+2348000000008',
      operator: 'mtn-momo',
      narration: null,
      operatorReference: null,
      depositReference: null,
      failureReason: null,
      failureMessage: null,
      metadata: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: data.createdAt,
      completedAt: null,
    })
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
  })

  it('says at once that a code is needed, and until when', async () => {
    const data = expectSuccess(await post(collectBody({ phoneNumber: phones.otp })))
    expect(data).toMatchObject({ status: 'OTP_REQUIRED', requiresOtp: true, isFinal: false })
    expect(Date.parse(data.otpExpiresAt) - Date.parse(data.createdAt)).toBe(600_000)
    const short = expectSuccess(await post(collectBody({ phoneNumber: phones.shortOtp })))
    expect(Date.parse(short.otpExpiresAt) - Date.parse(short.createdAt)).toBe(10_000)
    const operator = expectSuccess(await post(collectBody({ phoneNumber: '08030000000', operator: '9psb' })))
    expect(operator).toMatchObject({ status: 'OTP_REQUIRED', operator: '9psb' })
  })

  it('holds nothing of the balance', async () => {
    const { staging } = await service.addBusiness('Quiet')
    const before = await balanceOf(staging)
    expectSuccess(await staging.post('/v1/momo/collection', collectBody({ phoneNumber: phones.neverEnding })))
    expect(await balanceOf(staging)).toEqual(before)
  })
})

describeMomoSending(service, { operation: 'collection', reserved: 0, idPrefix: 'mcl' })
