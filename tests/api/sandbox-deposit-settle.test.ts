import { describe, expect, it } from 'vitest'
import { available, pay, settle, staticAccount } from '#tests/deposits/requests.ts'
import { expectError } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const { accountNumber } = await staticAccount(service.staging)
const pending = () => pay(service.staging, accountNumber, 10_000, { status: 'PENDING' })
const path = (reference: string) => `/v1/sandbox/deposits/${reference}/settle`

describe('200', () => {
  it('settles a pending deposit once, however many requests ask for it', async () => {
    const before = await available(service.staging)
    const deposit = await pending()
    const told = await Promise.all(Array.from({ length: 20 }, () => settle(service.staging, deposit, 'SUCCESSFUL')))
    expect(told.every(({ status }) => status === 'SUCCESSFUL')).toBe(true)
    expect(await available(service.staging)).toBe(before + 9_900)
  })

  it('fails a pending deposit, which credits nothing', async () => {
    const before = await available(service.staging)
    expect(await settle(service.staging, await pending(), 'FAILED')).toMatchObject({ status: 'FAILED' })
    expect(await available(service.staging)).toBe(before)
  })
})

describe('409', () => {
  it('does not change a deposit that has ended', async () => {
    const deposit = await pending()
    await settle(service.staging, deposit, 'FAILED')
    const answer = await service.staging.post(path(deposit.reference), { status: 'SUCCESSFUL' })
    expectError(answer, 409, 'CONFLICT', /FAILED/)
  })
})

describe('400, 403 and 404', () => {
  it('refuses a status that is no ending, a deposit that does not exist, and production', async () => {
    const { reference } = await pending()
    expectError(await service.staging.post(path(reference), { status: 'PENDING' }), 400, 'VALIDATION_ERROR')
    expectError(await service.staging.post(path('NOPE'), { status: 'FAILED' }), 404, 'NOT_FOUND')
    expectError(await service.production.post(path(reference), {}), 403, 'FORBIDDEN')
  })
})
