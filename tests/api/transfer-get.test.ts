import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { sendBody } from '#tests/payments/momo-requests.ts'
import { neverEnding, newReference, transferBody, untilStatus } from '#tests/payments/requests.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })

describe('200', () => {
  it('shows the transfer as it is now: the same fields, moved on', async () => {
    const body = transferBody({ metadata: { orderId: '881' } })
    const first = expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    const now = await untilStatus(service.staging, first.reference, 'SUCCESS')
    expect(now).toEqual({
      ...first,
      status: 'SUCCESS',
      isFinal: true,
      sessionId: expect.stringMatching(/^\d{30}$/),
      updatedAt: now.completedAt,
      completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(now.completedAt >= first.createdAt).toBe(true)
  })

  it('says of a failed one why, and what to do next', async () => {
    const body = transferBody({ accountNumber: '9990000006' })
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    const now = await untilStatus(service.staging, String(body['reference']), 'FAILED')
    expect(now).toMatchObject({
      isFinal: true,
      sessionId: null,
      failureReason: 'DORMANT_ACCOUNT',
      failureMessage: 'The account is dormant. Ask the recipient to reactivate it, or for another account.',
    })
  })

  it('answers many at once, each with its own', async () => {
    const references = Array.from({ length: 60 }, () => newReference('many'))
    await Promise.all(
      references.map((reference) =>
        service.staging.post('/v1/transfers/initiate', transferBody({ reference, accountNumber: neverEnding })),
      ),
    )
    const answers = await Promise.all(
      [...references, ...references].map((reference) => service.staging.get(`/v1/transfers/${reference}`)),
    )
    expect(answers.map((answer) => expectSuccess(answer).reference)).toEqual([...references, ...references])
  })

  it('answers HEAD with the headers alone', async () => {
    const body = transferBody()
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    const answer = await service.staging.call(`/v1/transfers/${String(body['reference'])}`, { method: 'HEAD' })
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
  })
})

describe('400 TRANSFER_NOT_FOUND', () => {
  it.each([
    'unknown',
    'initiate',
    'a'.repeat(2000),
    '%27%22%5C',
    'null',
    '%F0%9F%91%A9',
    '..%2Fbalance',
    'PAYOUT-1%20',
  ])('of the reference %s', async (reference) => {
    expectError(
      await service.staging.get(`/v1/transfers/${reference}`),
      400,
      'TRANSFER_NOT_FOUND',
      /^Transfer not found$/,
    )
  })

  it('when only the case differs: references are case-sensitive', async () => {
    const reference = newReference('Case')
    expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference })))
    expectError(await service.staging.get(`/v1/transfers/${reference.toUpperCase()}`), 400, 'TRANSFER_NOT_FOUND')
  })

  it("of another business's transfer, and of one's own in the other environment", async () => {
    const other = await service.addBusiness('Other')
    const reference = newReference()
    expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference })))
    expectError(await other.staging.get(`/v1/transfers/${reference}`), 400, 'TRANSFER_NOT_FOUND')
    expectError(await service.production.get(`/v1/transfers/${reference}`), 400, 'TRANSFER_NOT_FOUND')
  })

  it('of a reference that another operation has', async () => {
    const reference = newReference()
    expectSuccess(await service.staging.post('/v1/momo/transfer', sendBody({ reference })))
    expectError(await service.staging.get(`/v1/transfers/${reference}`), 400, 'TRANSFER_NOT_FOUND')
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each(['%00', 'a%00b', '%zz'])('of the path %s, which no reference can be', async (reference) => {
    expectError(await service.staging.get(`/v1/transfers/${reference}`), 400, 'VALIDATION_ERROR')
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/transfers/unknown', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})
