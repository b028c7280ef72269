import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { accountOf, dynamicAccount, pay, staticAccount, type Account } from '#tests/deposits/requests.ts'

const service = await shareService()
const { staging } = service

const numbers: string[] = []
for (let index = 0; index < 12; index++) {
  const { accountNumber } = await (index % 3 === 0 ? staticAccount(staging) : dynamicAccount(staging))
  if (index % 3 === 1) await pay(staging, accountNumber, 250_000)
  if (index % 6 === 0) expectSuccess(await staging.delete(`/v1/virtual-accounts/${accountNumber}`))
  numbers.unshift(accountNumber)
}
const read = await Promise.all(numbers.map((number) => accountOf(staging, number)))
// A list leaves out the failure.
const all = read.map((account) => {
  const shown = { ...account }
  delete shown['lastFailure']
  return shown
})
const customers = all.flatMap(({ customer }) =>
  customer === null ? [] : [(customer as { reference: string }).reference],
)

describe('200', () => {
  it('answers any filters and page as the slow way does', async () => {
    const question = fc.record({
      page: fc.integer({ min: 1, max: 5 }),
      limit: fc.constantFrom(1, 3, 20, 1_000),
      type: fc.constantFrom(undefined, 'static', 'dynamic'),
      status: fc.constantFrom(undefined, 'ACTIVE', 'COMPLETED', 'EXPIRED', 'CLOSED'),
      customerReference: fc.constantFrom(undefined, undefined, 'unknown', ...customers),
    })
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const given = Object.entries(asked).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`],
        )
        const answer = await staging.get(`/v1/virtual-accounts?${given.join('&')}`)
        const left = all.filter(
          ({ type, status, reference }: Account) =>
            (asked.type ?? type) === type &&
            (asked.status ?? status) === status &&
            (asked.customerReference ?? reference) === reference,
        )
        const limit = Math.min(asked.limit, 100)
        const start = (asked.page - 1) * limit
        expect(expectSuccess(answer).virtualAccounts).toEqual(left.slice(start, start + limit))
        expect(answer.body.meta?.pagination).toMatchObject({
          total: left.length,
          totalPage: Math.ceil(left.length / limit),
        })
      }),
      { numRuns: 100 },
    )
  })

  it('shows nothing of another business', async () => {
    const other = await service.addBusiness('Other')
    for (const query of ['', '?type=static', `?customerReference=${customers[0]}`]) {
      expect(expectSuccess(await other.staging.get(`/v1/virtual-accounts${query}`)).virtualAccounts).toEqual([])
    }
  })
})

describe('400', () => {
  it.each([
    ['page=0', 'page'],
    ['type=fixed', 'type'],
    ['status=active', 'status'],
    ['customerReference=', 'customerReference'],
  ])('refuses %s', async (query, field) => {
    const answer = await staging.get(`/v1/virtual-accounts?${query}`)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    expectError(await staging.call('/v1/virtual-accounts', { headers: { Authorization: '' } }), 401, 'UNAUTHORIZED')
  })
})
