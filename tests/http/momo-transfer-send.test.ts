import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { collectBody, phones, sendBody, untilMomo } from '#tests/payments/momo-requests.ts'
import { balanceOf, neverEnding, transferBody } from '#tests/payments/requests.ts'

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

  it('keeps the number in one form, the operator that was named, narration and metadata', async () => {
    const asked = { phoneNumber: '2348030000000', operator: 'airtel-smartcash', narration: 'May', metadata: { a: 'b' } }
    expect(expectSuccess(await post(sendBody(asked)))).toMatchObject({ ...asked, phoneNumber: '+2348030000000' })
  })

  it('holds amount and fee', async () => {
    const { staging } = await service.addBusiness('Quiet')
    const before = await balanceOf(staging)
    expectSuccess(await staging.post('/v1/momo/transfer', sendBody({ phoneNumber: phones.neverEnding })))
    expect(await balanceOf(staging)).toMatchObject({ available: before.available - 151_000, reserved: 151_000 })
  })

  it('replays the first answer verbatim, whatever has become of it and however the number is written', async () => {
    const body = sendBody()
    const first = expectSuccess(await post(body))
    await untilMomo(service.staging, 'transfer', String(body['reference']), 'SUCCESS')
    const again = await post({ ...body, phoneNumber: '+2348000000001', narration: 'other', metadata: { b: 'c' } })
    expect(expectSuccess(again)).toEqual(first)
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  it('makes one record of 50 parallel requests, and answers them all alike', async () => {
    const { staging } = await service.addBusiness('Parallel')
    const body = sendBody({ phoneNumber: phones.neverEnding })
    const answers = await Promise.all(Array.from({ length: 50 }, () => staging.post('/v1/momo/transfer', body)))
    const all = answers.map((answer) => expectSuccess(answer))
    for (const one of all) expect(one).toEqual(all[0])
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1)
    expect((await balanceOf(staging)).reserved).toBe(151_000)
  })
})

describe('400', () => {
  it.each([
    [{ phoneNumber: 8_030_000_000 }, 'phoneNumber', 'must be a string: as a number it would lose its leading zero'],
    [{ phoneNumber: '0803' }, 'phoneNumber', /^phoneNumber must be a phone number as/],
    [{ phoneNumber: undefined }, 'phoneNumber', /./],
    [{ amount: 0 }, 'amount', 'must be at least 1'],
    [{ amount: 1.5 }, 'amount', /kobo/],
    [{ amount: '100' }, 'amount', /kobo/],
    [{ reference: '' }, 'reference', 'must not be empty'],
    [{ operator: 7 }, 'operator', 'must be a string'],
    [{ currency: 'USD' }, 'currency', 'must be NGN'],
    [{ narration: 'x'.repeat(101) }, 'narration', /100/],
    [{ metadata: { a: 1 } }, 'metadata.a', /./],
  ])('refuses %j', async (changes, field, message) => {
    const answer = await post(sendBody(changes))
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details).toEqual([{ field, message: expect.stringMatching(message) }])
  })

  it('does not know an operator by that slug; a number without a known prefix needs one', async () => {
    expectError(await post(sendBody({ operator: 'moon' })), 400, 'INVALID_OPERATOR', /moon/)
    const unknown = await post(sendBody({ phoneNumber: '08990000000' }))
    expectError(unknown, 400, 'INVALID_OPERATOR', /send operator/)
    expect(unknown.body.error?.details?.map(({ field }) => field)).toEqual(['operator'])
    expectSuccess(await post(sendBody({ phoneNumber: '08990000000', operator: 'mtn-momo' })))
  })

  it('says what is required and what is available, and leaves no trace', async () => {
    const { staging } = await service.addBusiness('Poor')
    const { available } = await balanceOf(staging)
    const body = sendBody({ amount: available })
    const answer = await staging.post('/v1/momo/transfer', body)
    expectError(answer, 400, 'INSUFFICIENT_BALANCE')
    expect(answer.body.error?.details).toEqual([
      { field: 'amount', message: `required ${available + 5_000}, available ${available}` },
    ])
    expectError(await staging.get(`/v1/momo/transfer/${String(body['reference'])}`), 400, 'TRANSFER_NOT_FOUND')
    expectSuccess(await staging.post('/v1/momo/transfer', { ...body, amount: 100 }))
  })
})

describe('409', () => {
  it.each([
    [{ amount: 1 }, 'amount'],
    [{ phoneNumber: '08000000001' }, 'phoneNumber'],
    [{ operator: 'airtel-smartcash' }, 'operator'],
  ])('names the field of %j that differs', async (changes, field) => {
    const body = sendBody({ phoneNumber: phones.neverEnding })
    const { id } = expectSuccess(await post(body))
    const answer = await post({ ...body, ...changes })
    expectError(answer, 409, 'CONFLICT', new RegExp(`another ${field} before: ${id}`))
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })

  it('names the operation that has the reference', async () => {
    const { reference } = transferBody()
    expectSuccess(
      await service.staging.post('/v1/transfers/initiate', transferBody({ reference, accountNumber: neverEnding })),
    )
    expectError(await post(sendBody({ reference })), 409, 'CONFLICT', /by a bank transfer before: trf_/)
    const other = collectBody({ phoneNumber: phones.neverEnding })
    expectSuccess(await service.staging.post('/v1/momo/collection', other))
    expectError(
      await post(sendBody({ reference: other['reference'] })),
      409,
      'CONFLICT',
      /by a mobile-money collection before/,
    )
    const mine = sendBody({ phoneNumber: phones.neverEnding })
    expectSuccess(await post(mine))
    const bank = transferBody({ reference: mine['reference'] })
    const answer = await service.staging.post('/v1/transfers/initiate', bank)
    expectError(answer, 409, 'CONFLICT', /by a mobile-money transfer before: mtr_/)
  })
})

describe('401 and 503', () => {
  it('refuses without a key', async () => {
    const options = { method: 'POST', body: sendBody(), headers: { Authorization: '' } }
    expectError(await service.staging.call('/v1/momo/transfer', options), 401, 'UNAUTHORIZED')
  })

  it('never pretends in production: it names the missing setting before it looks at the balance', async () => {
    const answer = await service.production.post('/v1/momo/transfer', sendBody({ phoneNumber: '08030000000' }))
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /^Mobile-money transfers are not available here.*PRODUCTION_RAIL/)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})
