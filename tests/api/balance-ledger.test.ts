import { describe, expect, it } from 'vitest'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { neverEnding, newReference, transferBody } from '#tests/payments/requests.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const opening = 100_000_000_000

type Entry = {
  id: string
  type: string
  reference: string
  amount: number
  balanceAfter: number
  currency: string
  createdAt: string
}

const entriesOf = (answer: Answer): Entry[] => expectSuccess(answer).entries

async function transfer(client: Client, amount: number, endings: string[]): Promise<string> {
  const reference = newReference()
  expectSuccess(
    await client.post('/v1/transfers/initiate', transferBody({ reference, amount, accountNumber: neverEnding })),
  )
  for (const status of endings)
    expectSuccess(await client.post(`/v1/sandbox/transfers/${reference}/complete`, { status }))
  return reference
}

describe('200', () => {
  it('shows every movement of the available balance, with its sign and the balance after it', async () => {
    const client = service.staging
    const failed = await transfer(client, 600_000, ['FAILED'])
    clock.advance(60_000)
    const reversed = await transfer(client, 600_000, ['SUCCESS', 'REVERSED'])
    clock.advance(60_000)
    expectSuccess(await client.post('/v1/sandbox/balance/fund', { amount: 5 }))
    const entries = entriesOf(await client.get('/v1/balance/ledger'))
    const afterHold = opening - 602_500
    expect(
      entries.map(({ type, reference, amount, balanceAfter }) => [type, reference, amount, balanceAfter]).toReversed(),
    ).toEqual([
      ['opening', 'opening balance', opening, opening],
      ['hold', failed, -602_500, afterHold],
      ['release', failed, 602_500, opening],
      ['hold', reversed, -602_500, afterHold],
      ['reversal', reversed, 600_000, opening - 2_500],
      ['fee_refund', reversed, 2_500, opening],
      ['funding', 'sandbox funding', 5, opening + 5],
    ])
    expect(Object.keys(entries[0] ?? {}).toSorted()).toEqual([
      'amount',
      'balanceAfter',
      'createdAt',
      'currency',
      'id',
      'reference',
      'type',
    ])
    for (const { id, currency } of entries)
      expect({ id, currency }).toEqual({ id: expect.stringMatching(/^mov_[0-9a-z]{26}$/), currency: 'NGN' })
    expect(new Set(entries.map(({ id }) => id)).size).toBe(7)
  })

  it('chains: each balance is the one before it and the amount, also when everything happens at once', async () => {
    const busy = await service.addBusiness('Busy')
    const endings = [['SUCCESS'], ['FAILED'], ['SUCCESS', 'REVERSED'], []]
    await Promise.all(
      Array.from({ length: 120 }, (_, index) => transfer(busy.staging, 1_000 + index, endings[index % 4] ?? [])),
    )
    const pages = await Promise.all(
      [1, 2, 3].map((page) => busy.staging.get(`/v1/balance/ledger?limit=100&page=${page}`)),
    )
    const entries = pages.flatMap(entriesOf).toReversed()
    // 1 opening, 120 reservations, 30 releases, 30 reversals with 30 refunds of the fee. A success moves only reserved
    // money, so it makes no entry.
    expect(entries).toHaveLength(1 + 120 + 30 + 60)
    let balance = 0
    for (const entry of entries) {
      balance += entry.amount
      expect(entry.balanceAfter).toBe(balance)
    }
    expect(expectSuccess(await busy.staging.get('/v1/balance')).balances[0].available).toBe(balance)
    expect(entries.map(({ createdAt }) => createdAt)).toEqual(entries.map(({ createdAt }) => createdAt).toSorted())
  })

  it('pages, and filters by time with both ends included', async () => {
    const quiet = await service.addBusiness('Quiet')
    for (let index = 0; index < 5; index++) {
      clock.advance(86_400_000)
      expectSuccess(await quiet.staging.post('/v1/sandbox/balance/fund', { amount: index + 1 }))
    }
    const ask = async (query: string) => {
      const answer = await quiet.staging.get(`/v1/balance/ledger?${query}`)
      return { amounts: entriesOf(answer).map(({ amount }) => amount), ...answer.body.meta?.pagination }
    }
    const times = entriesOf(await quiet.staging.get('/v1/balance/ledger')).map(({ createdAt }) => createdAt)
    const [latest = '', , middle = ''] = times
    expect(await ask('limit=2&page=2')).toEqual({
      amounts: [3, 2],
      page: 2,
      limit: 2,
      total: 6,
      totalPage: 3,
      hasNext: true,
      hasPrev: true,
    })
    expect(await ask(`from=${middle}`)).toMatchObject({ amounts: [5, 4, 3], total: 3 })
    expect(await ask(`to=${middle}`)).toMatchObject({ amounts: [3, 2, 1, opening], total: 4 })
    expect(await ask(`from=${middle.slice(0, 10)}&to=${middle.slice(0, 10)}`)).toMatchObject({ amounts: [3], total: 1 })
    expect(await ask(`from=${latest}&to=${middle}`)).toMatchObject({ amounts: [], total: 0 })
    expect(await ask('limit=500')).toMatchObject({ limit: 100, total: 6 })
    expect(await ask('page=9')).toMatchObject({ amounts: [], total: 6, hasNext: false, hasPrev: true })
  })

  it('is empty where nothing has moved yet', async () => {
    const answer = await service.production.get('/v1/balance/ledger')
    expect(entriesOf(answer)).toEqual([])
    expect(answer.body.meta?.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 0,
      totalPage: 0,
      hasNext: false,
      hasPrev: false,
    })
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each(['page=0', 'limit=-1', 'from=now', 'to=15.01.2026'])('%s', async (query) => {
    const answer = await service.staging.get(`/v1/balance/ledger?${query}`)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map(({ field }) => field)).toEqual([query.split('=')[0]])
  })
})

describe('401', () => {
  it('refuses without a key', async () => {
    const answer = await service.staging.call('/v1/balance/ledger', { headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})
