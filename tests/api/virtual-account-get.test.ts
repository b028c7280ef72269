import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { accountOf, dynamicAccount, pay, staticAccount } from '#tests/deposits/requests.ts'

const service = await shareService()

describe('200', () => {
  it('is the account as it was opened', async () => {
    for (const account of [await staticAccount(service.staging), await dynamicAccount(service.staging)]) {
      expect(expectSuccess(await service.staging.get(`/v1/virtual-accounts/${account.accountNumber}`))).toEqual({
        ...account,
        lastFailure: null,
      })
    }
  })

  it.each([
    ['UNDERPAID', 249_999, 'SUCCESSFUL'],
    ['OVERPAID', 250_001, 'SUCCESSFUL'],
    ['PROVIDER_FAILED', 250_000, 'FAILED'],
  ])('tells the last payment that failed, and why: %s', async (reason, amount, status) => {
    const { accountNumber } = await dynamicAccount(service.staging)
    await pay(service.staging, accountNumber, 1, { status: 'FAILED' })
    const { reference, createdAt, fee } = await pay(service.staging, accountNumber, amount, { status })
    const { lastFailure } = await accountOf(service.staging, accountNumber)
    expect([lastFailure, fee]).toEqual([{ reference, reason, amount, createdAt }, 0])
  })

  it('tells of a second payment, and of one to a closed account, however many succeeded', async () => {
    const paidTwice = await dynamicAccount(service.staging)
    const closed = await staticAccount(service.staging)
    for (const { accountNumber } of [paidTwice, closed]) await pay(service.staging, accountNumber, 250_000)
    await service.staging.call(`/v1/virtual-accounts/${closed.accountNumber}`, { method: 'DELETE' })
    for (const { accountNumber } of [paidTwice, closed]) await pay(service.staging, accountNumber, 250_000)
    expect((await accountOf(service.staging, paidTwice.accountNumber))['lastFailure']).toMatchObject({
      reason: 'DUPLICATE_PAYMENT',
    })
    expect((await accountOf(service.staging, closed.accountNumber))['lastFailure']).toMatchObject({
      reason: 'ACCOUNT_CLOSED',
    })
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
