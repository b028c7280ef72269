import { describe, expect, it } from 'vitest'
import { pay, staticAccount } from '#tests/deposits/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const { accountNumber } = await staticAccount(service.staging)
const validate = async (reference: string, client = service.staging) =>
  expectSuccess(await client.get(`/v1/deposits/validate/${reference}`))

describe('200', () => {
  it.each([
    ['SUCCESSFUL', true],
    ['PENDING', false],
    ['FAILED', false],
  ])('a deposit that is %s is valid: %s', async (status, valid) => {
    const { reference } = await pay(service.staging, accountNumber, 7_000, { status })
    expect(await validate(reference)).toEqual({
      exists: true,
      reference,
      status,
      amount: 7_000,
      currency: 'NGN',
      valid,
    })
  })

  it('a deposit that does not exist is an answer, not an error', async () => {
    const message = expect.stringMatching(/not found/i)
    expect(await validate('NOPE')).toEqual({ exists: false, reference: 'NOPE', message })
  })

  it('`validate` is an ordinary reference, of no deposit', async () => {
    expect(await validate('validate')).toMatchObject({ exists: false, reference: 'validate' })
  })

  it("another business's deposit does not exist", async () => {
    const { reference } = await pay(service.staging, accountNumber, 1_000)
    const other = await service.addBusiness('Other')
    expect(await validate(reference, other.staging)).toMatchObject({ exists: false, reference })
  })
})

describe('400', () => {
  it.each(['/v1/deposits/validate/', '/v1/deposits/validate/%20'])('%s lacks a reference', async (path) => {
    expectError(await service.staging.get(path), 400, 'VALIDATION_ERROR', /^Reference is required$/)
  })
})
