import { describe, expect, it } from 'vitest'
import { momoFailureReasons } from '#rails/rail.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, phones } from '#tests/payments/momo-requests.ts'
import { balanceOf } from '#tests/payments/requests.ts'

const service = await useService()

async function begun(phoneNumber = phones.neverEnding): Promise<string> {
  return expectSuccess(await service.staging.post('/v1/momo/collection', collectBody({ phoneNumber }))).reference
}

const complete = (reference: string, body: unknown): Promise<Answer> =>
  service.staging.post(`/v1/sandbox/momo/collection/${reference}/complete`, body)

async function eventsOf(reference: string): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(service.database, 'select name from event where reference = $1', [
    reference,
  ])
  return rows.map(({ name }) => name)
}

describe('200', () => {
  it('completes with SUCCESS, once, however often it is said', async () => {
    const before = await balanceOf(service.staging)
    const reference = await begun()
    const answers = await Promise.all(Array.from({ length: 5 }, () => complete(reference, { status: 'SUCCESS' })))
    const [first] = answers.map((answer) => expectSuccess(answer))
    expect(first).toMatchObject({ status: 'SUCCESS', isFinal: true, operatorReference: expect.stringMatching(/\S/) })
    expect(expectSuccess(await service.staging.get(`/v1/momo/collection/${reference}`))).toEqual(first)
    expect((await balanceOf(service.staging)).ledger - before.ledger).toBe(198_000)
    expect(await eventsOf(reference)).toEqual(['momo.collection.success'])
  })

  it.each(momoFailureReasons)('completes with FAILED %s, and no money has moved', async (failureReason) => {
    const before = await balanceOf(service.staging)
    const reference = await begun()
    const data = expectSuccess(await complete(reference, { status: 'FAILED', failureReason }))
    expect(data).toMatchObject({ status: 'FAILED', isFinal: true, failureReason })
    expect(data.failureMessage).toMatch(/^[A-Z].{20,}\.$/)
    expect(await balanceOf(service.staging)).toEqual(before)
    expect(await eventsOf(reference)).toEqual(['momo.collection.failed'])
  })

  it.each(['SUCCESS', 'FAILED'])('completes one that waits for a code with %s', async (status) => {
    const reference = await begun(phones.otp)
    expect(expectSuccess(await complete(reference, { status }))).toMatchObject({ status, isFinal: true })
  })
})

describe('400', () => {
  it.each([
    [{ status: 'REVERSED' }, 'status'],
    [{}, 'status'],
    [{ status: 'FAILED', failureReason: 'DORMANT_ACCOUNT' }, 'failureReason'],
  ])('refuses %j', async (body, field) => {
    const answer = await complete(await begun(), body)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })

  it("does not find an unknown collection, nor another business's", async () => {
    expectError(await complete('unknown', { status: 'SUCCESS' }), 400, 'COLLECTION_NOT_FOUND')
    const other = await service.addBusiness('Other')
    const path = `/v1/sandbox/momo/collection/${await begun()}/complete`
    expectError(await other.staging.post(path, { status: 'SUCCESS' }), 400, 'COLLECTION_NOT_FOUND')
  })
})

describe('401, 403 and 409', () => {
  it('refuses without a key', async () => {
    const options = { method: 'POST', body: { status: 'SUCCESS' }, headers: { Authorization: '' } }
    expectError(await service.staging.call('/v1/sandbox/momo/collection/a/complete', options), 401, 'UNAUTHORIZED')
  })

  it('is forbidden in production', async () => {
    expectError(await service.production.post('/v1/sandbox/momo/collection/a/complete', {}), 403, 'FORBIDDEN')
  })

  it('refuses what contradicts how it ended', async () => {
    const reference = await begun()
    expectSuccess(await complete(reference, { status: 'SUCCESS' }))
    const answer = await complete(reference, { status: 'FAILED' })
    expectError(answer, 409, 'CONFLICT', 'The collection is SUCCESS: it can no longer become FAILED.')
  })
})
