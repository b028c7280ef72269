import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { dynamicAccount, staticAccount } from '#tests/deposits/requests.ts'

const service = await useService()

describe('200', () => {
  it('is the account as it was opened', async () => {
    for (const account of [await staticAccount(service.staging), await dynamicAccount(service.staging)]) {
      expect(expectSuccess(await service.staging.get(`/v1/virtual-accounts/${account.accountNumber}`))).toEqual(account)
    }
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(
      await service.staging.call('/v1/virtual-accounts/1', { headers: { Authorization: '' } }),
      401,
      'UNAUTHORIZED',
    )
  })
})

describe('404', () => {
  it("is an unknown one, and another business's", async () => {
    const { accountNumber } = await staticAccount(service.staging)
    const other = await service.addBusiness('Other')
    expectError(
      await service.staging.get('/v1/virtual-accounts/unknown'),
      404,
      'NOT_FOUND',
      /^Virtual account not found$/,
    )
    expectError(await other.staging.get(`/v1/virtual-accounts/${accountNumber}`), 404, 'NOT_FOUND')
  })
})
