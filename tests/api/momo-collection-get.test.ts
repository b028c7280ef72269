import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, phones, sendBody, untilMomo } from '#tests/payments/momo-requests.ts'
import { balanceOf } from '#tests/payments/requests.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })

async function eventsAbout(...references: string[]): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(service.database, 'select name from event where reference = any($1)', [
    references,
  ])
  return rows.map(({ name }) => name)
}

describe('200', () => {
  it('a success shows in balance, deposits and events once', async () => {
    const before = await balanceOf(service.staging)
    const first = expectSuccess(
      await service.staging.post('/v1/momo/collection', collectBody({ customerName: 'ADA OBI', narration: 'Order 9' })),
    )
    const now = await untilMomo(service.staging, 'collection', first.reference, 'SUCCESS')
    expect(now).toEqual({
      ...first,
      status: 'SUCCESS',
      isFinal: true,
      operatorReference: expect.stringMatching(/\S/),
      depositReference: expect.stringMatching(/^DEP[0-9A-Z]{26}$/),
      updatedAt: now.completedAt,
      completedAt: expect.stringMatching(/Z$/),
    })
    expect(await balanceOf(service.staging)).toMatchObject({ available: before.available + 198_000 })
    const deposit = expectSuccess(await service.staging.get(`/v1/deposits/${now.depositReference}`))
    expect(deposit).toMatchObject({
      reference: now.depositReference,
      status: 'SUCCESSFUL',
      amount: 200_000,
      fee: 2_000,
      senderAccountName: 'ADA OBI',
      senderAccountNumber: '+2348000000001',
      narration: 'Order 9',
    })
    expect(Object.keys(deposit)).toHaveLength(15)
    expect(Object.values(deposit)).not.toContain(null)
    const { deposits } = expectSuccess(await service.staging.get('/v1/deposits?limit=100'))
    expect(deposits.filter((one: { reference: string }) => one.reference === now.depositReference)).toHaveLength(1)
    expect(await eventsAbout(first.reference, now.depositReference)).toEqual(['momo.collection.success'])
  })

  it.each([
    [phones.refused, 'PAYMENT_NOT_APPROVED'],
    [phones.insufficient, 'INSUFFICIENT_FUNDS'],
    [phones.unknown, 'PAYER_NOT_FOUND'],
    [phones.down, 'OPERATOR_UNAVAILABLE'],
    [phones.limit, 'LIMIT_EXCEEDED'],
  ])('from %s fails with %s and moves no money', async (phoneNumber, failureReason) => {
    const before = await balanceOf(service.staging)
    const body = collectBody({ phoneNumber })
    const { reference } = expectSuccess(await service.staging.post('/v1/momo/collection', body))
    const now = await untilMomo(service.staging, 'collection', reference, 'FAILED')
    expect(now).toMatchObject({ isFinal: true, failureReason, depositReference: null, operatorReference: null })
    expect(now.failureMessage).toMatch(/^[A-Z].{20,}\.$/)
    expect(await balanceOf(service.staging)).toEqual(before)
    expect(await eventsAbout(reference)).toEqual(['momo.collection.failed'])
  })
})

describe('400 COLLECTION_NOT_FOUND', () => {
  it.each(['unknown', 'verify-otp', '%F0%9F%91%A9'])('of the reference %s', async (reference) => {
    const answer = await service.staging.get(`/v1/momo/collection/${reference}`)
    expectError(answer, 400, 'COLLECTION_NOT_FOUND', /^Collection not found$/)
  })

  it("of another operation's reference and another business's", async () => {
    const sent = expectSuccess(await service.staging.post('/v1/momo/transfer', sendBody()))
    expectError(await service.staging.get(`/v1/momo/collection/${sent.reference}`), 400, 'COLLECTION_NOT_FOUND')
    const mine = expectSuccess(await service.staging.post('/v1/momo/collection', collectBody()))
    const other = await service.addBusiness('Other')
    expectError(await other.staging.get(`/v1/momo/collection/${mine.reference}`), 400, 'COLLECTION_NOT_FOUND')
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/momo/collection/unknown', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED')
  })
})
