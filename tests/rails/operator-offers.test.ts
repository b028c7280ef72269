// Production accepts what a provider's configuration of our account allows, the same in each process.

import { afterAll, describe, expect, it } from 'vitest'
import { setCurrencies } from '#businesses/currencies.ts'
import { findOperator, listOperators } from '#directory/operators.ts'
import { refusal } from '#api/v1/payments.ts'
import { present } from '#platform/assert.ts'
import type { ApiError } from '#platform/errors.ts'
import { toMoney } from '#platform/money.ts'
import { amountFaultOf, createOffersKeeper, readEveryMs, type CarriedAmounts } from '#rails/operator-offers.ts'
import { parseRailsFile } from '#rails/rails-file.ts'
import { newReference } from '#tests/payments/requests.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { expectError, expectSuccess, type Client } from '#tests/support/client.ts'
import { createTestContext } from '#tests/support/context.ts'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startService, useService } from '#tests/support/service.ts'

const fake = await startFakePawapay()
fake.account.limits = {
  MTN_MOMO_GHA: { min: '2', max: '1000.50' },
  VODAFONE_GHA: { min: '1', max: '5000', lacks: 'DEPOSIT' },
}
const route = [{ rail: 'pawapay' }]
const file = {
  rails: { pawapay: { kind: 'pawapay', environment: 'production', apiToken: pawapayToken, baseUrl: fake.url } },
  routes: {
    production: {
      GHS: { momoPayout: route, momoCollection: route },
      TZS: { momoPayout: route, momoCollection: route },
      XOF: { momoPayout: route, momoCollection: route },
    },
  },
}
const rails = parseRailsFile(JSON.stringify(file), {})
const service = await useService({ config: { rails } })
afterAll(() => fake.close())
await setCurrencies(service.ctx, service.business.tenants.production, { on: ['GHS', 'TZS'], off: [] })

type Listed = {
  slug: string
  country: string
  minAmount: number
  maxAmount: number
  decimals: number
  requiresOtp: boolean
}

async function listed({ get }: Client = service.production): Promise<Listed[]> {
  return expectSuccess(await get('/v1/momo/operators'))['operators'] as Listed[]
}

const collect = (amount: number, operator: string, phoneNumber: string) =>
  service.production.post('/v1/momo/collection', { reference: newReference(), amount, operator, phoneNumber })
const send = (amount: number, operator: string, phoneNumber: string) =>
  service.production.post('/v1/momo/transfer', { reference: newReference(), amount, operator, phoneNumber })
const untilKnown = () =>
  untilHolds(async () => expect((await listed()).map(({ slug }) => slug)).not.toContain('airteltigo-gh'))

describe('an account with limits', () => {
  it('is listed as it is: the operators it has, with what transfers and collections both carry', async () => {
    await untilKnown()
    const operators = await listed()
    expect(operators.map(({ slug }) => slug).toSorted()).toEqual([
      'mtn-ci',
      'mtn-gh',
      'orange-bf',
      'orange-sn',
      'telecel-gh',
      'vodacom-tz',
      'wave-ci',
    ])
    expect(operators).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ slug: 'mtn-gh', minAmount: 200, maxAmount: 100_050, decimals: 2 }),
        expect.objectContaining({ slug: 'telecel-gh', supports: { transfer: true, collection: false } }),
        expect.objectContaining({ slug: 'vodacom-tz', minAmount: 100, maxAmount: 500_000, decimals: 0 }),
      ]),
    )
  })

  it('has payers approve as the provider asks for it, which the simulator need not do', async () => {
    await untilKnown()
    const codes = async (client?: Client) =>
      Object.fromEntries((await listed(client)).map(({ slug, requiresOtp }) => [slug, requiresOtp]))
    expect(await codes()).toMatchObject({ 'orange-sn': false, 'orange-bf': true, 'mtn-gh': false })
    expect(await codes(service.staging)).toMatchObject({ 'orange-sn': true, 'orange-bf': true, 'telecel-gh': true })
  })

  it('has amounts that no rail carries refused, with the range', async () => {
    const phone = '+233241234567'
    for (const ask of [collect, send])
      for (const amount of [199, 100_051]) {
        const answer = await ask(amount, 'mtn-gh', phone)
        expectError(answer, 400, 'VALIDATION_ERROR')
        expect(answer.body.error?.details).toEqual([
          {
            field: 'amount',
            code: 'outside_range',
            params: { currency: 'GHS', min: 200, max: 100_050 },
            message: 'amount must be from 200 to 100050: the operator carries no other amounts of GHS',
          },
        ])
      }
    expectSuccess(await collect(100_050, 'mtn-gh', phone))
    const inShillings = await collect(150, 'vodacom-tz', '+255754123456')
    expect(inShillings.body.error?.details).toEqual([
      {
        field: 'amount',
        code: 'not_a_multiple',
        params: { step: 100, currency: 'TZS' },
        message: 'amount must be a multiple of 100: the operator carries whole TZS only',
      },
    ])
    expectError(await collect(500, 'telecel-gh', '+233201234567'), 503, 'SERVICE_UNAVAILABLE')
    expect(fake.payments().map(({ amount }) => amount)).not.toContain('1000.51')
  })

  it('is known to a process that starts while the provider is down', async () => {
    fake.account.isDown = true
    const { database } = service
    const second = await startService({ config: { rails }, database })
    expect(await listed(second.production)).toEqual(await listed())
    await second.stop()
    fake.account.isDown = false
  })
})

describe('the stored configuration', () => {
  const clock = createFakeClock()
  const operator = present(findOperator('mtn-gh'), 'it is in the directory')
  const amounts = (max: bigint): CarriedAmounts => ({ minAmount: toMoney(1n), maxAmount: toMoney(max), step: 1n })

  function keeper(name: string, read: () => bigint | undefined, asked: string[]) {
    const ctx = createTestContext(service.database.connect(), clock)
    const source = {
      environment: 'production' as const,
      rail: 'shared',
      read: () => {
        asked.push(name)
        const max = read()
        if (max === undefined) return Promise.resolve({ kind: 'unavailable' as const, detail: 'down' })
        const offers = [
          { operator: 'mtn-gh', port: 'momoPayout' as const, minAmount: toMoney(1n), maxAmount: toMoney(max), step: 1 },
        ]
        return Promise.resolve({ kind: 'known' as const, offers })
      },
    }
    const { known, refresh, load } = createOffersKeeper(ctx, () => [source], listOperators())
    return { of: () => known.of('shared', 'momoPayout', operator), refresh, load, close: () => ctx.db.close() }
  }

  it('is read by one process at a time, the same for all, and forgotten after a day without an answer', async () => {
    let max: bigint | undefined = 500n
    const asked: string[] = []
    const [one, two] = [keeper('one', () => max, asked), keeper('two', () => max, asked)]
    await Promise.all([one.refresh(), two.refresh()])
    await Promise.all([one.load(), two.load()])
    expect(asked).toHaveLength(1)
    expect([one.of(), two.of()]).toEqual([amounts(500n), amounts(500n)])
    max = 900n
    clock.advance(readEveryMs)
    await two.refresh()
    await one.load()
    expect([one.of(), two.of()]).toEqual([amounts(900n), amounts(900n)])
    max = undefined
    clock.advance(readEveryMs)
    await one.refresh()
    expect([one.of(), asked.length]).toEqual([amounts(900n), 3])
    clock.advance(24 * 3_600_000)
    await one.refresh()
    expect(one.of()).toBeUndefined()
    await Promise.all([one.close(), two.close()])
  })
})

it('names every range of the rails that serve an operator', () => {
  const offers = [
    { minAmount: toMoney(1n), maxAmount: toMoney(50n), step: 1n },
    { minAmount: toMoney(200n), maxAmount: toMoney(900n), step: 100n },
  ]
  expect(amountFaultOf(offers, 50n)).toBeUndefined()
  expect(amountFaultOf(offers, 250n)).toEqual({ kind: 'amount-step', step: 100n })
  expect(amountFaultOf(offers, 100n)).toMatchObject({
    kind: 'amount-range',
    step: 1n,
    ranges: [{}, { minAmount: 200n }],
  })
  expect(amountFaultOf([], 100n)).toBeUndefined()
  const payee = { field: 'operator', value: 'mpesa-ke' }
  const ranges = [...offers, ...offers]
  const error = refusal({ kind: 'amount-range', step: 1n, ranges, currency: 'KES' }, 'Transfers', payee)
  expect((error as ApiError).details).toEqual([
    {
      field: 'amount',
      code: 'outside_range',
      params: {
        ranges: [
          { min: 1, max: 50 },
          { min: 200, max: 900 },
        ],
        currency: 'KES',
      },
      message: 'amount must be from 1 to 50, or from 200 to 900: the operator carries no other amounts of KES',
    },
  ])
})
