import { describe, expect, it } from 'vitest'
import { askToPay, available, pay, staticAccount } from '#tests/deposits/requests.ts'
import { expectError } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const { accountNumber } = await staticAccount(service.staging)

describe('200', () => {
  it('credits the amount less the fee: 1 % rounded down, at most 30000', async () => {
    for (const [amount, fee] of [
      [99, 0],
      [150, 1],
      [10_000, 100],
      [3_000_000, 30_000],
      [90_000_000, 30_000],
    ] as const) {
      const before = await available(service.staging)
      expect(await pay(service.staging, accountNumber, amount)).toMatchObject({ status: 'SUCCESSFUL', amount, fee })
      expect(await available(service.staging)).toBe(before + amount - fee)
    }
  })

  it.each(['PENDING', 'FAILED'])('credits nothing for one that is %s', async (status) => {
    const before = await available(service.staging)
    expect(await pay(service.staging, accountNumber, 10_000, { status })).toMatchObject({ status })
    expect(await available(service.staging)).toBe(before)
  })
})

describe('400', () => {
  it('names every wrong field at once', async () => {
    const answer = await askToPay(service.staging, '12', 0.5, { status: 'DONE' })
    expectError(answer, 400, 'VALIDATION_ERROR')
    const fields = answer.body.error?.details?.map(({ field }) => field).toSorted()
    expect(fields).toEqual(['accountNumber', 'amount', 'status'])
  })
})

describe('404', () => {
  it('knows no account of another business', async () => {
    const other = await service.addBusiness('Other')
    expectError(await askToPay(other.staging, accountNumber, 1_000), 404, 'NOT_FOUND')
  })
})

describe('403', () => {
  it('does not exist in production, whatever the body', async () => {
    expectError(await service.production.post('/v1/sandbox/deposits', { amount: 'x' }), 403, 'FORBIDDEN')
  })
})
