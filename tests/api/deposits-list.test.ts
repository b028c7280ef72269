import { describe, expect, it } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess, type Client } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { dynamicAccount, newCustomer, pay, staticAccount, type Deposit } from '#tests/deposits/requests.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })

async function list(client: Client, query = ''): Promise<Deposit[]> {
  return expectSuccess(await client.get(`/v1/deposits${query}`)).deposits
}

describe('200', () => {
  it('is empty without deposits', async () => {
    const { staging } = await service.addBusiness('Empty')
    const answer = await staging.get('/v1/deposits')
    expect(expectSuccess(answer)).toEqual({ deposits: [] })
    const nothing = { page: 1, limit: 20, total: 0, totalPage: 0, hasNext: false, hasPrev: false }
    expect(answer.body.meta?.pagination).toEqual(nothing)
  })

  it('shows the latest first, page by page, with exact totals', async () => {
    const { staging } = await service.addBusiness('Pages')
    const { accountNumber } = await staticAccount(staging)
    const made: string[] = []
    for (let amount = 1; amount <= 7; amount++) made.unshift((await pay(staging, accountNumber, amount)).reference)
    const answer = await staging.get('/v1/deposits?page=2&limit=3')
    expect(expectSuccess(answer).deposits.map(({ reference }: Deposit) => reference)).toEqual(made.slice(3, 6))
    const place = { page: 2, limit: 3, total: 7, totalPage: 3, hasNext: true, hasPrev: true }
    expect(answer.body.meta?.pagination).toEqual(place)
    expect(await list(staging, '?page=9')).toEqual([])
  })

  it('filters by status, time, account and customer', async () => {
    const { staging } = await service.addBusiness('Filters')
    const customer = await newCustomer(staging)
    const own = expectSuccess(
      await staging.post('/v1/virtual-accounts/static', { customerReference: customer.reference }),
    )
    const order = await dynamicAccount(staging, { amount: 5_000 })
    const pending = await pay(staging, own.accountNumber, 1_000, { status: 'PENDING' })
    clock.advance(60_000)
    const paid = await pay(staging, order.accountNumber, 5_000)
    const only = async (query: string) => (await list(staging, query)).map(({ reference }) => reference)
    expect(await only('?status=PENDING')).toEqual([pending.reference])
    expect(await only('?status=FAILED')).toEqual([])
    expect(await only(`?accountNumber=${order.accountNumber}`)).toEqual([paid.reference])
    expect(await only(`?customerReference=${customer.reference}`)).toEqual([pending.reference])
    expect(await only(`?from=${paid.createdAt}`)).toEqual([paid.reference])
    expect(await only(`?to=${pending.createdAt}`)).toEqual([pending.reference])
  })

  it('paging while deposits arrive misses none that was there at the start', async () => {
    const { staging } = await service.addBusiness('Busy')
    const { accountNumber } = await staticAccount(staging)
    const before = await Promise.all(Array.from({ length: 30 }, (_, n) => pay(staging, accountNumber, n + 1)))
    const seen = new Map<string, number>()
    for (let page = 1; page <= 20; page++) {
      const [deposits] = await Promise.all([list(staging, `?page=${page}&limit=4`), pay(staging, accountNumber, 999)])
      for (const { reference } of deposits) seen.set(reference, (seen.get(reference) ?? 0) + 1)
      if (deposits.length === 0) break
    }
    expect(before.filter(({ reference }) => !seen.has(reference))).toEqual([])
  })
})

describe('400', () => {
  it.each(['page=0', 'limit=x', 'status=DONE', 'accountNumber=12', 'from=yesterday'])('refuses %s', async (query) => {
    expectError(await service.staging.get(`/v1/deposits?${query}`), 400, 'VALIDATION_ERROR')
  })
})
