import { describe, expect, it } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { accountOf, dynamicAccount, staticAccount } from '#tests/deposits/requests.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const close = (accountNumber: string, client = service.staging) =>
  client.delete(`/v1/virtual-accounts/${accountNumber}`)

describe('200', () => {
  it('closes a static account; closing twice is closing once', async () => {
    const account = await staticAccount(service.staging)
    clock.advance(1_000)
    const closed = expectSuccess(await close(account.accountNumber))
    expect(closed).toEqual({ ...account, status: 'CLOSED', updatedAt: new Date(clock.now()).toISOString() })
    clock.advance(1_000)
    expect(expectSuccess(await close(account.accountNumber))).toEqual(closed)
    expect(await accountOf(service.staging, account.accountNumber)).toEqual({ ...closed, lastFailure: null })
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const options = { method: 'DELETE', headers: { Authorization: '' } }
    expectError(await service.staging.call('/v1/virtual-accounts/1', options), 401, 'UNAUTHORIZED')
  })
})

describe('404', () => {
  it("is an unknown one, and another business's, which stays open", async () => {
    const { accountNumber } = await staticAccount(service.staging)
    const other = await service.addBusiness('Other')
    expectError(await close('unknown'), 404, 'NOT_FOUND', /^Virtual account not found$/)
    expectError(await close(accountNumber, other.staging), 404, 'NOT_FOUND')
    expect((await accountOf(service.staging, accountNumber)).status).toBe('ACTIVE')
  })
})

describe('409', () => {
  it('refuses to close a dynamic account', async () => {
    const { accountNumber } = await dynamicAccount(service.staging)
    expectError(await close(accountNumber), 409, 'CONFLICT')
    expect((await accountOf(service.staging, accountNumber)).status).toBe('ACTIVE')
  })
})
