import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, phones, sendBody, untilMomo } from '#tests/payments/momo-requests.ts'
import { balanceOf } from '#tests/payments/requests.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })

describe('200', () => {
  it('shows the transfer as it is now: the same fields, moved on, the money gone', async () => {
    const before = await balanceOf(service.staging)
    const first = expectSuccess(await service.staging.post('/v1/momo/transfer', sendBody()))
    const now = await untilMomo(service.staging, 'transfer', first.reference, 'SUCCESS')
    expect(now).toEqual({
      ...first,
      status: 'SUCCESS',
      isFinal: true,
      operatorReference: expect.stringMatching(/\S/),
      updatedAt: now.completedAt,
      completedAt: expect.stringMatching(/Z$/),
    })
    expect(await balanceOf(service.staging)).toMatchObject({
      ledger: before.ledger - 151_000,
      reserved: before.reserved,
    })
  })

  it.each([
    [phones.refused, 'PAYMENT_NOT_APPROVED'],
    [phones.insufficient, 'INSUFFICIENT_FUNDS'],
    [phones.unknown, 'RECIPIENT_NOT_FOUND'],
    [phones.down, 'OPERATOR_UNAVAILABLE'],
    [phones.limit, 'LIMIT_EXCEEDED'],
  ])('to %s fails with %s and gives everything back', async (phoneNumber, failureReason) => {
    const before = await balanceOf(service.staging)
    const { reference } = expectSuccess(await service.staging.post('/v1/momo/transfer', sendBody({ phoneNumber })))
    const now = await untilMomo(service.staging, 'transfer', reference, 'FAILED')
    expect(now).toMatchObject({ isFinal: true, failureReason, operatorReference: null })
    expect(now.failureMessage).toMatch(/^[A-Z].{20,}\.$/)
    expect(await balanceOf(service.staging)).toEqual(before)
  })
})

describe('400 TRANSFER_NOT_FOUND', () => {
  it.each(['unknown', 'a'.repeat(500), '%F0%9F%91%A9'])('of the reference %s', async (reference) => {
    const answer = await service.staging.get(`/v1/momo/transfer/${reference}`)
    expectError(answer, 400, 'TRANSFER_NOT_FOUND', /^Transfer not found$/)
  })

  it("of another operation's reference, another business's, and in the other environment", async () => {
    const body = collectBody({ phoneNumber: phones.neverEnding })
    expectSuccess(await service.staging.post('/v1/momo/collection', body))
    const path = (reference: unknown): string => `/v1/momo/transfer/${String(reference)}`
    expectError(await service.staging.get(path(body['reference'])), 400, 'TRANSFER_NOT_FOUND')
    const { reference } = expectSuccess(await service.staging.post('/v1/momo/transfer', sendBody()))
    const other = await service.addBusiness('Other')
    expectError(await other.staging.get(path(reference)), 400, 'TRANSFER_NOT_FOUND')
    expectError(await service.production.get(path(reference)), 400, 'TRANSFER_NOT_FOUND')
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/momo/transfer/unknown', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED')
  })
})
