import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, sendBody, phones } from '#tests/payments/momo-requests.ts'
import { setLimits } from '#payments/limits.ts'
import { pausePayouts } from '#payments/brakes.ts'
import { balanceOf, transferBody, untilPaused } from '#tests/payments/requests.ts'
import { describeMomoSending } from './momo-sending.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })

const post = (body: unknown): Promise<Answer> => service.staging.post('/v1/momo/transfer', body)

describe('200', () => {
  it('answers the whole record', async () => {
    const body = sendBody({ phoneNumber: phones.neverEnding })
    const answer = await post(body)
    const data = expectSuccess(answer)
    expect(data).toEqual({
      id: expect.stringMatching(/^mtr_[0-9a-z]{26}$/),
      reference: body['reference'],
      status: 'queued',
      isFinal: false,
      amount: 150_000,
      fee: 1_000,
      totalDebit: 151_000,
      currency: 'NGN',
      phoneNumber: '+2348000000008',
      accountNumber: null,
      accountReference: null,
      operator: 'mtn-momo',
      accountName: null,
      narration: null,
      operatorReference: null,
      failureReason: null,
      failureMessage: null,
      metadata: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: data.createdAt,
      completedAt: null,
    })
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
  })

  it('holds amount and fee', async () => {
    const { staging } = await service.addBusiness('Quiet')
    const before = await balanceOf(staging)
    expectSuccess(await staging.post('/v1/momo/transfer', sendBody({ phoneNumber: phones.neverEnding })))
    expect(await balanceOf(staging)).toMatchObject({ available: before.available - 151_000, reserved: 151_000 })
  })
})

describe('400', () => {
  it('names the required and the available amount, and stores nothing', async () => {
    const { staging } = await service.addBusiness('Poor')
    const { available } = await balanceOf(staging)
    const body = sendBody({ amount: available })
    const answer = await staging.post('/v1/momo/transfer', body)
    expectError(answer, 400, 'INSUFFICIENT_BALANCE')
    expect(answer.body.error?.details).toMatchObject([
      { field: 'amount', message: `required ${available + 5_000}, available ${available}` },
    ])
    expectError(await staging.get(`/v1/momo/transfer/${String(body['reference'])}`), 400, 'TRANSFER_NOT_FOUND')
    expectSuccess(await staging.post('/v1/momo/transfer', { ...body, amount: 100 }))
  })
})

describe('400 LIMIT_EXCEEDED', () => {
  it('shares the day with bank transfers', async () => {
    const { business, staging } = await service.addBusiness('Limited')
    await setLimits(service.ctx, business.tenants.staging, { perDay: toMoney(200_000) })
    expectSuccess(await staging.post('/v1/transfers/initiate', transferBody({ amount: 150_000 })))
    const answer = await staging.post('/v1/momo/transfer', sendBody({ amount: 50_001 }))
    expectError(answer, 400, 'LIMIT_EXCEEDED', '50000 are left')
    expectSuccess(await staging.post('/v1/momo/transfer', sendBody({ amount: 50_000 })))
  })
})

describe('403 PAYOUTS_PAUSED', () => {
  it('for transfers to wallets, and not for collections', async () => {
    const { business, staging } = await service.addBusiness('Paused')
    await pausePayouts(service.ctx, { businessId: business.id, environment: 'staging' })
    await untilPaused(staging, true)
    expectError(await staging.post('/v1/momo/transfer', sendBody()), 403, 'PAYOUTS_PAUSED')
    expectSuccess(await staging.post('/v1/momo/collection', collectBody()))
  })
})

describeMomoSending(service, { operation: 'transfer', reserved: 151_000, idPrefix: 'mtr' })
