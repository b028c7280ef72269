import { describe, expect, it } from 'vitest'
import { bankFailureReasons } from '#rails/rail.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { balanceOf, neverEnding, newReference, transferBody, untilStatus } from '#tests/payments/requests.ts'

const settleMs = 150
const clock = createFakeClock()
const service = await useService({ clock, settings: { SANDBOX_SETTLE_MS: String(settleMs) } })

async function newTransfer(accountNumber = neverEnding): Promise<string> {
  const reference = newReference()
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference, accountNumber })))
  return reference
}

const complete = (reference: string, body: unknown): Promise<Answer> =>
  service.staging.post(`/v1/sandbox/transfers/${reference}/complete`, body)

async function eventsOf(reference: string): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(
    service.database,
    'select name from event where reference = $1 order by created_at, id',
    [reference],
  )
  return rows.map(({ name }) => name)
}

describe('200', () => {
  it('completes with SUCCESS: a session id, the money gone, one event', async () => {
    const before = await balanceOf(service.staging)
    const reference = await newTransfer()
    const data = expectSuccess(await complete(reference, { status: 'SUCCESS' }))
    expect(data).toMatchObject({
      reference,
      status: 'SUCCESS',
      isFinal: true,
      sessionId: expect.stringMatching(/^\d{30}$/),
      failureReason: null,
    })
    expect(data.completedAt).toBe(data.updatedAt)
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`))).toEqual(data)
    const after = await balanceOf(service.staging)
    expect(after).toMatchObject({ available: before.available - 151_000, reserved: before.reserved })
    expect(await eventsOf(reference)).toEqual(['transfer.success'])
  })

  it.each(bankFailureReasons)('completes with FAILED %s and gives everything back', async (failureReason) => {
    const before = await balanceOf(service.staging)
    const reference = await newTransfer()
    const data = expectSuccess(await complete(reference, { status: 'FAILED', failureReason }))
    expect(data).toMatchObject({ status: 'FAILED', isFinal: true, sessionId: null, failureReason })
    expect(data.failureMessage).toMatch(/^[A-Z].{20,}\.$/)
    expect(await balanceOf(service.staging)).toEqual(before)
    expect(await eventsOf(reference)).toEqual(['transfer.failed'])
  })

  it('says PROVIDER_ERROR when no reason is given', async () => {
    expect(expectSuccess(await complete(await newTransfer(), { status: 'FAILED' })).failureReason).toBe(
      'PROVIDER_ERROR',
    )
  })

  it('returns what had succeeded: amount and fee come back, and the session id stays', async () => {
    const before = await balanceOf(service.staging)
    const reference = await newTransfer()
    const { sessionId } = expectSuccess(await complete(reference, { status: 'SUCCESS' }))
    const data = expectSuccess(await complete(reference, { status: 'REVERSED' }))
    expect(data).toMatchObject({ status: 'REVERSED', isFinal: true, sessionId, failureReason: null })
    expect(await balanceOf(service.staging)).toEqual(before)
    expect(await eventsOf(reference)).toEqual(['transfer.success', 'transfer.reversed'])
  })

  it.each([['SUCCESS'], ['FAILED']])('answers a repeated %s with the same record and moves nothing', async (status) => {
    const reference = await newTransfer()
    const first = expectSuccess(await complete(reference, { status }))
    const before = await balanceOf(service.staging)
    const again = await Promise.all(
      Array.from({ length: 5 }, () => complete(reference, { status, failureReason: 'DO_NOT_HONOR' })),
    )
    for (const answer of again) expect(expectSuccess(answer)).toEqual(first)
    expect(await balanceOf(service.staging)).toEqual(before)
    expect(await eventsOf(reference)).toHaveLength(1)
  })

  it('lets one of many contradicting completions win', async () => {
    const before = await balanceOf(service.staging)
    const reference = await newTransfer()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => complete(reference, { status: index % 2 === 0 ? 'SUCCESS' : 'FAILED' })),
    )
    const { status } = expectSuccess(await service.staging.get(`/v1/transfers/${reference}`))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10)
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(10)
    for (const answer of answers.filter((one) => one.status === 200)) expect(answer.body.data.status).toBe(status)
    const spent = before.ledger - (await balanceOf(service.staging)).ledger
    expect(spent).toBe(status === 'SUCCESS' ? 151_000 : 0)
    expect(await eventsOf(reference)).toHaveLength(1)
  })

  it('ends the payment before the simulated outcome, which then changes nothing and opens no review item', async () => {
    const reference = await newTransfer('0123456789')
    const ended = expectSuccess(await complete(reference, { status: 'FAILED' }))
    // A later transfer with the same delay: when it has ended, the first one has had its time too.
    const later = await newTransfer('0123456789')
    clock.advance(settleMs)
    await untilStatus(service.staging, later, 'SUCCESS')
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`))).toEqual(ended)
    expect(service.lines.filter((line) => line.includes('contradicts'))).toEqual([])
    expect(await eventsOf(reference)).toEqual(['transfer.failed'])
  })
})

describe('400', () => {
  it.each([
    [{ status: 'queued' }, 'status'],
    [{ status: 'success' }, 'status'],
    [{}, 'status'],
    [{ status: 'FAILED', failureReason: 'NO_MOOD' }, 'failureReason'],
  ])('refuses %j', async (body, field) => {
    const answer = await complete(await newTransfer(), body)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })

  it("does not find an unknown transfer, nor another business's", async () => {
    expectError(await complete('unknown', { status: 'SUCCESS' }), 400, 'TRANSFER_NOT_FOUND', /^Transfer not found$/)
    const other = await service.addBusiness('Other')
    const reference = await newTransfer()
    const answer = await other.staging.post(`/v1/sandbox/transfers/${reference}/complete`, { status: 'SUCCESS' })
    expectError(answer, 400, 'TRANSFER_NOT_FOUND')
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const options = { method: 'POST', body: { status: 'SUCCESS' }, headers: { Authorization: '' } }
    expectError(await service.staging.call('/v1/sandbox/transfers/a/complete', options), 401, 'UNAUTHORIZED')
  })
})

describe('403', () => {
  it.each([{ status: 'SUCCESS' }, { status: 'wrong' }, undefined])(
    'answers in production, whatever is sent (%j)',
    async (body) => {
      expectError(await service.production.post('/v1/sandbox/transfers/unknown/complete', body), 403, 'FORBIDDEN')
    },
  )
})

describe('409', () => {
  it.each([
    [[], 'REVERSED', 'The transfer is queued: only a transfer that is SUCCESS can become REVERSED.'],
    [['SUCCESS'], 'FAILED', 'The transfer is SUCCESS: it can no longer become FAILED.'],
    [['FAILED'], 'SUCCESS', 'The transfer is FAILED: it can no longer become SUCCESS.'],
    [['FAILED'], 'REVERSED', 'The transfer is FAILED: it can no longer become REVERSED.'],
    [['SUCCESS', 'REVERSED'], 'FAILED', 'The transfer is REVERSED: it can no longer become FAILED.'],
  ])('after %j refuses %s', async (before, status, message) => {
    const reference = await newTransfer()
    for (const one of before) expectSuccess(await complete(reference, { status: one }))
    const balance = await balanceOf(service.staging)
    expectError(await complete(reference, { status }), 409, 'CONFLICT', message)
    expect(await balanceOf(service.staging)).toEqual(balance)
  })
})
