import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { collectBody, sendBody } from '#tests/payments/momo-requests.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { balanceOf, neverEnding, newReference, transferBody, untilStatus } from '#tests/payments/requests.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const path = '/v1/transfers/initiate'
const send = (changes: Record<string, unknown> = {}): Promise<Answer> =>
  service.staging.post(path, transferBody(changes))
const detailsOf = (answer: Answer) => answer.body.error?.details

const opening = 100_000_000_000
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Rows that a refused request must not leave behind. */
async function traces(reference: unknown): Promise<unknown[]> {
  return asOwner(
    service.database,
    'select reference from payment where reference = $1 union all select reference from ledger_movement where reference = $1',
    [reference],
  )
}

describe('200', () => {
  it('accepts a transfer and shows all twenty fields of it', async () => {
    const reference = newReference()
    const metadata = { orderId: '881', note: '' }
    const data = expectSuccess(
      await send({ reference, narration: 'Invoice 881', metadata, currency: 'NGN', accountNumber: neverEnding }),
    )
    expect(data).toEqual({
      id: expect.stringMatching(/^trf_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      reference,
      status: 'queued',
      isFinal: false,
      amount: 150_000,
      fee: 1_000,
      totalDebit: 151_000,
      currency: 'NGN',
      bankSlug: 'guaranty-trust-bank',
      bankName: expect.stringMatching(/^Guaranty Trust Bank/),
      accountNumber: neverEnding,
      accountName: 'ADA OBI',
      narration: 'Invoice 881',
      sessionId: null,
      failureReason: null,
      failureMessage: null,
      metadata,
      createdAt: expect.stringMatching(time),
      updatedAt: data.createdAt,
      completedAt: null,
    })
    expect(Object.keys(data)).toHaveLength(20)
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`))).toEqual(data)
  })

  it('stores the key that asked for it, for the operator', async () => {
    const data = expectSuccess(await send())
    const rows = await asOwner<{ last_four: string }>(
      service.database,
      'select last_four from payment join api_key on api_key.id = key_id where payment.reference = $1',
      [data.reference],
    )
    expect(rows).toEqual([{ last_four: service.testKey.slice(-4) }])
  })

  it('reserves amount and fee, and shows missing fields as null', async () => {
    const { staging } = await service.addBusiness('Quiet')
    const before = await balanceOf(staging)
    const body = transferBody({ accountNumber: neverEnding, amount: 500_001 })
    const data = expectSuccess(await staging.post(path, body))
    expect(data).toMatchObject({ narration: null, metadata: null, currency: 'NGN', fee: 2_500, totalDebit: 502_501 })
    expect(await balanceOf(staging)).toEqual({
      currency: 'NGN',
      available: before.available - 502_501,
      reserved: before.reserved + 502_501,
      ledger: before.ledger,
    })
  })

  const longest = `A${'b'.repeat(99)}`
  it.each([
    ['a reference of 100 characters', { reference: longest }],
    ['a reference of one digit', { reference: '7' }],
    ['a reference with every mark that is allowed', { reference: 'a.b_c:d=e-f' }],
    ['the least amount', { amount: 1 }],
    ['an account name of 100 characters', { accountName: 'A'.repeat(100) }],
    ['an account number with leading zeros', { accountNumber: '0000000001' }],
    ['a narration of 100 characters', { narration: 'n'.repeat(100) }],
    [
      '20 metadata keys with values of 500 characters',
      { metadata: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, 'v'.repeat(500)])) },
    ],
    ['no metadata and no narration, said with null', { metadata: null, narration: null }],
    [
      'text in any script, quotes, backslashes and commas',
      { accountName: 'Ọlá "Ada", {O\\bi} 👩🏾', narration: 'null', metadata: { 'ké,y': '{"a":\\1}' } },
    ],
    ['fields that nobody knows', { callbackUrl: 'https://example.com', Amount: 5 }],
  ])('takes %s and gives it back as it came', async (_what, changes) => {
    const sent = transferBody(changes)
    const data = expectSuccess(await service.staging.post(path, sent))
    const { callbackUrl: _unknown, Amount: _alsoUnknown, ...known } = sent
    expect(data).toMatchObject(known)
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${String(sent['reference'])}`))).toMatchObject(known)
  })
})

describe('200 again', () => {
  const ends = [
    ['SUCCESS', '0123456789'],
    ['FAILED', '9990000005'],
    ['queued', neverEnding],
  ] as const

  it.each(ends)(
    'answers a repeated request with the first answer, verbatim, when the transfer is %s by now',
    async (status, accountNumber) => {
      const { staging } = await service.addBusiness('Again')
      const body = transferBody({ accountNumber, metadata: { b: '1', a: '2' }, narration: 'x' })
      const first = await staging.post(path, body)
      expect(first.headers['idempotent-replayed']).toBeUndefined()
      await untilStatus(staging, String(body['reference']), status)
      const before = await balanceOf(staging)
      const second = await staging.post(path, body)
      expect(expectSuccess(second)).toEqual(expectSuccess(first))
      expect(second.text.replace(second.body.requestId ?? '', '')).toBe(
        first.text.replace(first.body.requestId ?? '', ''),
      )
      expect(second.headers['idempotent-replayed']).toBe('true')
      expect(second.body.requestId).not.toBe(first.body.requestId)
      expect(await balanceOf(staging)).toEqual(before)
    },
  )

  it('does so also when name, narration, metadata and currency differ: they never conflict', async () => {
    const body = transferBody({ accountNumber: neverEnding })
    const first = expectSuccess(await service.staging.post(path, body))
    const second = await service.staging.post(path, {
      ...body,
      accountName: 'OTHER',
      narration: 'other',
      metadata: { a: 'b' },
      currency: 'NGN',
    })
    expect(expectSuccess(second)).toEqual(first)
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  it('evaluates a refused request again, because a refusal consumes no reference', async () => {
    const body = transferBody({ accountNumber: neverEnding })
    expectError(await service.staging.post(path, { ...body, bankSlug: 'no-such-bank' }), 400, 'INVALID_BANK')
    expectError(await service.staging.post(path, { ...body, amount: opening * 2 }), 400, 'INSUFFICIENT_BALANCE')
    const answer = await service.staging.post(path, body)
    expect(expectSuccess(answer)).toMatchObject({ amount: 150_000, status: 'queued' })
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
  })

  it('keeps references apart by business and environment', async () => {
    const other = await service.addBusiness('Other')
    const body = transferBody({ accountNumber: neverEnding })
    const first = expectSuccess(await service.staging.post(path, body))
    const second = await other.staging.post(path, body)
    expect(expectSuccess(second).id).not.toBe(first.id)
    expect(second.headers['idempotent-replayed']).toBeUndefined()
  })
})

describe('400 INVALID_BANK', () => {
  it('names the slug, and leaves no trace', async () => {
    const reference = newReference()
    const answer = await send({ reference, bankSlug: 'no-such-bank' })
    expectError(answer, 400, 'INVALID_BANK', /no-such-bank/)
    expect(detailsOf(answer)).toMatchObject([{ field: 'bankSlug', message: 'is not the slug of a bank' }])
    expect(await traces(reference)).toEqual([])
  })

  it.each(['constructor', '__proto__', 'Guaranty-Trust-Bank'])('for %s too', async (bankSlug) => {
    expectError(await send({ bankSlug }), 400, 'INVALID_BANK')
  })
})

describe('400 INSUFFICIENT_BALANCE', () => {
  it('names the needed and the available amount, and stores nothing', async () => {
    const poor = await service.addBusiness('Poor')
    const spend = transferBody({ amount: opening - 100_000 - 5_000, accountNumber: neverEnding })
    expectSuccess(await poor.staging.post(path, spend))
    const body = transferBody()
    const answer = await poor.staging.post(path, body)
    expectError(answer, 400, 'INSUFFICIENT_BALANCE')
    expect(detailsOf(answer)).toMatchObject([{ field: 'amount', message: 'required 151000, available 100000' }])
    expect(await traces(body['reference'])).toEqual([])
    expect((await balanceOf(poor.staging)).available).toBe(100_000)
    expectSuccess(await poor.staging.post(path, { ...body, amount: 99_000 }))
    expect((await balanceOf(poor.staging)).available).toBe(0)
  })

  it('also works for the largest amount, whose sum with the fee exceeds the largest JSON integer', async () => {
    const answer = await send({ amount: Number.MAX_SAFE_INTEGER })
    expectError(answer, 400, 'INSUFFICIENT_BALANCE')
    expect(detailsOf(answer)?.[0]?.message).toMatch(/^required 9007199254745991, available \d+$/)
  })
})

describe('401', () => {
  it('refuses without a key before it looks at the body', async () => {
    const answer = await service.staging.call(path, { method: 'POST', body: '{', headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})

describe('409 CONFLICT', () => {
  it.each([
    ['amount', 150_001],
    ['bankSlug', 'access-bank'],
    ['accountNumber', '0123456788'],
    ['bankSlug', 'no-such-bank'],
  ])('names %s when it differs (%j), and the transfer that has the reference', async (field, value) => {
    const body = transferBody()
    const { id } = expectSuccess(await service.staging.post(path, body))
    const answer = await service.staging.post(path, { ...body, [field]: value })
    expectError(answer, 409, 'CONFLICT', new RegExp(`with another ${field} before: ${id}`))
    expect(detailsOf(answer)).toMatchObject([{ field, message: `differs from ${id}, which has this reference` }])
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
  })
})

describe('409 CONFLICT with another operation', () => {
  it.each([
    ['transfer', sendBody, 'mobile-money transfer', 'mtr'],
    ['collection', collectBody, 'mobile-money collection', 'mcl'],
  ])('names it: %s', async (operation, other, name, prefix) => {
    const body = transferBody({ accountNumber: neverEnding })
    const { reference } = body
    expectSuccess(await service.staging.post(`/v1/momo/${operation}`, other({ reference })))
    const answer = await service.staging.post(path, body)
    expectError(answer, 409, 'CONFLICT', new RegExp(`was used by a ${name} before: ${prefix}_[0-9a-z]{26}\\.`))
    expect(detailsOf(answer)?.map(({ field }) => field)).toEqual(['reference'])
  })
})

describe('when several things are wrong, the first of shape, reference, bank and balance answers', () => {
  const body = transferBody({ accountNumber: neverEnding })
  const tooMuch = { amount: opening * 2 }

  it.each([
    ['shape before reference', { amount: 0, accountNumber: '1' }, 400, 'VALIDATION_ERROR'],
    ['reference before bank', { bankSlug: 'no-such-bank' }, 409, 'CONFLICT'],
    ['reference before balance', tooMuch, 409, 'CONFLICT'],
    ['bank before balance', { ...tooMuch, bankSlug: 'no-such-bank', reference: newReference() }, 400, 'INVALID_BANK'],
    ['balance last', { ...tooMuch, reference: newReference() }, 400, 'INSUFFICIENT_BALANCE'],
  ])('%s', async (_which, changes, status, code) => {
    const first = await service.staging.post(path, body)
    expectSuccess(first)
    expectError(await service.staging.post(path, { ...body, ...changes }), status, code)
  })
})

describe('503', () => {
  it('names the missing setting in production, before the balance is looked at', async () => {
    const body = transferBody()
    const answer = await service.production.post(path, body)
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(await traces(body['reference'])).toEqual([])
    expectError(await service.production.post(path, { ...body, bankSlug: 'no-such-bank' }), 400, 'INVALID_BANK')
  })
})
