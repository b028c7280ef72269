import { describe, expect, it } from 'vitest'
import type { NewAccount } from '#rails/ports.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { startService, useService } from '#tests/support/service.ts'
import { dynamicAccount, newReference } from '#tests/deposits/requests.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const path = '/v1/virtual-accounts/dynamic'
const open = (body: unknown, client = service.staging) => client.post(path, body)

describe('200', () => {
  it('opens an account for one amount, for half an hour, in the name of the business', async () => {
    const reference = newReference('ORDER')
    const data = expectSuccess(await open({ amount: 250_000, reference, metadata: { cart: '9' } }))
    expect(data).toEqual({
      id: expect.stringMatching(/^va_[0-9a-z]{26}$/),
      type: 'dynamic',
      reference,
      accountNumber: expect.stringMatching(/^\d{10}$/),
      accountName: 'Test Business',
      bankName: 'Wema Bank',
      bankSlug: 'wema-bank',
      currency: 'NGN',
      status: 'ACTIVE',
      amount: 250_000,
      amountPolicy: 'exact',
      expiresAt: new Date(clock.now() + 30 * 60_000).toISOString(),
      customer: null,
      metadata: { cart: '9' },
      createdAt: new Date(clock.now()).toISOString(),
      updatedAt: data.createdAt,
    })
  })

  it.each([5, 1_440])('expires after %d minutes when asked to', async (expiresInMinutes) => {
    const data = await dynamicAccount(service.staging, {
      expiresInMinutes,
      amountPolicy: 'any',
      accountName: 'SHOP',
      narration: 'x',
    })
    const expiresAt = new Date(clock.now() + expiresInMinutes * 60_000).toISOString()
    expect(data).toMatchObject({ expiresAt, amountPolicy: 'any', accountName: 'SHOP', reference: null })
  })

  it('takes the next number when the rail gives one that is taken', async () => {
    const simulator = createSimulator({ clock, settleMs: 0 })
    const asked: number[] = []
    const createDynamic = ({ attempt, accountName }: { attempt: number; accountName: string }): Promise<NewAccount> => {
      asked.push(attempt)
      const accountNumber = attempt === 0 ? '0000000017' : `000000002${asked.length}`
      return Promise.resolve({
        kind: 'created',
        accountNumber,
        accountName,
        bankName: 'B',
        bankSlug: 'b',
        handle: null,
      })
    }
    const rails = { staging: [{ ...simulator, virtualAccounts: { ...simulator.virtualAccounts, createDynamic } }] }
    const own = await startService({ clock, rails, roles: ['api'] })
    const numbers = await Promise.all([1, 2, 3].map(async () => (await dynamicAccount(own.staging)).accountNumber))
    expect(new Set(numbers).size).toBe(3)
    expect(numbers).toContain('0000000017')
    expect(asked.toSorted()).toEqual([0, 0, 0, 1, 1])
    await own.stop()
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: '100' }, 'amount'],
    [{}, 'amount'],
    [{ amount: 1, expiresInMinutes: 4 }, 'expiresInMinutes'],
    [{ amount: 1, expiresInMinutes: 1_441 }, 'expiresInMinutes'],
    [{ amount: 1, expiresInMinutes: 5.5 }, 'expiresInMinutes'],
    [{ amount: 1, amountPolicy: 'some' }, 'amountPolicy'],
    [{ amount: 1, reference: '' }, 'reference'],
  ])('%j', async (body, field) => {
    const answer = await open(body)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
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

describe('409', () => {
  it('refuses a reference that was used, for ever', async () => {
    const reference = newReference('ORDER')
    const { accountNumber } = await dynamicAccount(service.staging, { reference, amount: 5 })
    expectSuccess(await service.staging.post('/v1/sandbox/deposits', { accountNumber, amount: 5 }))
    expectError(await open({ amount: 5, reference }), 409, 'CONFLICT', /reference already exists/)
  })
})

describe('503', () => {
  it('says in production which setting is missing', async () => {
    expectError(await open({ amount: 5 }, service.production), 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
  })
})
