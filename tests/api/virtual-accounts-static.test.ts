import { describe, expect, it } from 'vitest'
import { institutionCodeOf, isNuban } from '#rails/formats.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { newCustomer } from '#tests/deposits/requests.ts'

const service = await shareService()
const path = '/v1/virtual-accounts/static'
const open = (body: unknown, client = service.staging) => client.post(path, body)

describe('200', () => {
  it('opens an account in the name of the customer, with a valid NUBAN', async () => {
    const customer = await newCustomer(service.staging)
    const data = expectSuccess(await open({ customerReference: customer.reference }))
    expect(data).toEqual({
      id: expect.stringMatching(/^va_[0-9a-z]{26}$/),
      type: 'static',
      reference: customer.reference,
      accountNumber: expect.stringMatching(/^\d{10}$/),
      accountName: 'Ada Obi',
      bankName: 'Wema Bank',
      bankSlug: 'wema-bank',
      currency: 'NGN',
      status: 'ACTIVE',
      amount: null,
      amountPolicy: null,
      expiresAt: null,
      customer: { id: customer.id, reference: customer.reference },
      metadata: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: data.createdAt,
    })
    expect(isNuban(institutionCodeOf('035') ?? '', data.accountNumber)).toBe(true)
  })

  it('opens one at each bank, and another one once the first is closed', async () => {
    const { reference: customerReference } = await newCustomer(service.staging)
    const first = expectSuccess(await open({ customerReference, accountName: 'ADA SHOP' }))
    expect(first.accountName).toBe('ADA SHOP')
    expectSuccess(await open({ customerReference, bankSlug: 'guaranty-trust-bank' }))
    expectSuccess(await service.staging.delete(`/v1/virtual-accounts/${first.accountNumber}`))
    expect(expectSuccess(await open({ customerReference })).accountNumber).not.toBe(first.accountNumber)
  })
})

describe('400', () => {
  it('names the fields that are wrong, all at once', async () => {
    const answer = await open({ bankSlug: '', accountName: 1 })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual([
      'customerReference',
      'bankSlug',
      'accountName',
    ])
  })

  it('knows no such bank', async () => {
    const { reference: customerReference } = await newCustomer(service.staging)
    expectError(await open({ customerReference, bankSlug: 'no-bank' }), 400, 'INVALID_BANK')
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(
      await service.staging.call(path, { method: 'POST', body: {}, headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
    )
  })
})

describe('404', () => {
  it("is an unknown customer, and another business's", async () => {
    const { reference: customerReference } = await newCustomer(service.staging)
    expectError(await open({ customerReference: 'unknown' }), 404, 'NOT_FOUND', /^Customer not found$/)
    expectError(await open({ customerReference }, service.production), 404, 'NOT_FOUND')
  })
})

describe('409', () => {
  it('refuses a second open account at a bank, also to many at once', async () => {
    const { reference: customerReference } = await newCustomer(service.staging)
    const answers = await Promise.all(Array.from({ length: 10 }, () => open({ customerReference })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    const refused = await open({ customerReference, bankSlug: 'wema-bank' })
    expectError(
      refused,
      409,
      'CONFLICT',
      'The customer has an active account at this bank. Use it, or close it first. GET /v1/virtual-accounts with customerReference lists it.',
    )
    expect(refused.body.error?.details).toMatchObject([
      { field: 'customerReference', message: 'customerReference has an active account at this bank', code: 'in_use' },
    ])
  })
})

describe('503', () => {
  it('says in production which setting is missing', async () => {
    const { reference: customerReference } = await newCustomer(service.production)
    const answer = await open({ customerReference }, service.production)
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
    expect(answer.headers['retry-after']).toBe('60')
  })
})
