import { describe, expect, it } from 'vitest'
import { pay, staticAccount } from '#tests/deposits/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const { accountNumber } = await staticAccount(service.staging)

describe('200', () => {
  it('shows exactly the fifteen fields, none of them null', async () => {
    const { reference } = await pay(service.staging, accountNumber, 500_000, { narration: 'rent' })
    const data = expectSuccess(await service.staging.get(`/v1/deposits/${reference}`))
    expect(data).toEqual({
      id: expect.stringMatching(/^dep_[0-9a-z]{26}$/),
      amount: 500_000,
      reference: expect.stringMatching(/^DEP[0-9A-HJKMNP-TV-Z]{26}$/),
      status: 'SUCCESSFUL',
      currency: 'NGN',
      senderAccountName: '',
      senderAccountNumber: '',
      senderBankName: '',
      recipientAccountName: 'Ada Obi',
      recipientAccountNumber: accountNumber,
      recipientBankName: 'Wema Bank',
      narration: 'rent',
      fee: 5_000,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: data.createdAt,
    })
  })
})

describe('400', () => {
  it.each(['/v1/deposits/', '/v1/deposits/%20', '/v1/deposits/validate'])('%s lacks a reference', async (path) => {
    expectError(await service.staging.get(path), 400, 'VALIDATION_ERROR', /^Reference is required$/)
  })
})

describe('404', () => {
  it('knows no deposit that does not exist', async () => {
    expectError(await service.staging.get('/v1/deposits/NOPE'), 404, 'NOT_FOUND', /^Deposit not found$/)
  })

  it('hides a deposit from other businesses', async () => {
    const { reference } = await pay(service.staging, accountNumber, 1_000)
    const other = await service.addBusiness('Other')
    expectError(await other.staging.get(`/v1/deposits/${reference}`), 404, 'NOT_FOUND', /^Deposit not found$/)
    expectError(await service.production.get(`/v1/deposits/${reference}`), 404, 'NOT_FOUND')
  })
})

describe('401', () => {
  it('comes before a missing reference is noticed', async () => {
    const answer = await service.staging.call('/v1/deposits/', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})
