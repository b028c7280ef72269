// A business of three currencies: naira, cedis with two decimals, and CFA francs without any.

import { describe, expect, it } from 'vitest'
import { readCurrencies, setCurrencies } from '#businesses/currencies.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import { toMoney, type Currency } from '#platform/money.ts'
import { rightCode, untilMomo } from '#tests/payments/momo-requests.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { useVerifyingReceiver } from '#tests/support/verifying-receiver.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const { staging, production, ctx } = service
const tenants = service.business.tenants
const receiver = await useVerifyingReceiver()

const opening: Record<string, number> = { NGN: 100_000_000_000, GHS: 100_000_000_000, XOF: 1_000_000_000 }

type Balance = { currency: Currency; available: number; reserved: number }

async function balances(): Promise<Record<string, Balance>> {
  const { balances: all } = expectSuccess(await staging.get('/v1/balance'))
  return Object.fromEntries(all.map((one: Balance) => [one.currency, one]))
}

function expectField(answer: Answer, field: string, message: string | RegExp): void {
  expectError(answer, 400, 'VALIDATION_ERROR')
  expect(answer.body.error?.details).toMatchObject([{ field, message: expect.stringMatching(message) }])
}

const ghana = { phoneNumber: '+233240000001' }
const ivory = { phoneNumber: '+2250500000001' }

describe('before they are switched on', () => {
  it('refuses payments, funding and says how to switch it on', async () => {
    const how =
      /GHS is not switched on for this business\. .*manilla businesses currencies BUSINESS_ID --environment ENVIRONMENT --on GHS/
    for (const path of ['/v1/momo/transfer', '/v1/momo/collection'])
      expectField(await staging.post(path, { reference: 'EARLY', amount: 100, ...ghana }), 'currency', how)
    expectField(await staging.post('/v1/sandbox/balance/fund', { amount: 100, currency: 'GHS' }), 'currency', how)
    expect(Object.keys(await balances())).toEqual(['NGN'])
    const { entries } = expectSuccess(await staging.get('/v1/balance/ledger?currency=GHS'))
    expect(entries).toEqual([])
  })
})

describe('with naira, cedis and CFA francs', () => {
  it('are switched on at once', async () => {
    expect(await setCurrencies(ctx, tenants.staging, { on: ['XOF', 'GHS', 'TZS'], off: [] })).toEqual({ kind: 'set' })
    const events = ['momo.collection.success', 'momo.transfer.success']
    const { secret } = expectSuccess(await staging.post('/v1/webhooks', { url: receiver.url, events }))
    receiver.secrets.push(secret)
  })

  it('opens each with its own billion, naira first', async () => {
    const found = await balances()
    expect(Object.keys(found)).toEqual(['NGN', 'GHS', 'TZS', 'XOF'])
    for (const currency of ['NGN', 'GHS', 'XOF']) {
      expect(found[currency]).toMatchObject({ available: opening[currency], reserved: 0 })
    }
  })

  it.each([
    ['GHS', ghana, 5_000, 50, 4_950],
    ['XOF', ivory, 1_500, 15, 1_485],
  ])('sends and collects %s, which is credited as a deposit of that currency', async (currency, payer, amount, fee) => {
    const before = (await balances())[currency]?.available ?? 0
    const transfer = { reference: `OUT-${currency}`, amount, currency, ...payer }
    expect(expectSuccess(await staging.post('/v1/momo/transfer', transfer))).toMatchObject({
      currency,
      amount,
      fee,
      totalDebit: amount + fee,
    })
    const collection = { reference: `IN-${currency}`, amount, ...payer }
    expectSuccess(await staging.post('/v1/momo/collection', collection))
    await untilMomo(staging, 'transfer', transfer.reference, 'SUCCESS')
    const paid = await untilMomo(staging, 'collection', collection.reference, 'SUCCESS')
    expect(paid).toMatchObject({ currency, amount, fee })
    const deposit = expectSuccess(await staging.get(`/v1/deposits/${paid.depositReference}`))
    expect(deposit).toMatchObject({ currency, amount, fee, status: 'SUCCESSFUL' })
    expect((await balances())[currency]).toMatchObject({ available: before - 2 * fee, reserved: 0 })
    expect((await balances())['NGN']?.available).toBe(opening['NGN'])

    const { entries } = expectSuccess(await staging.get(`/v1/balance/ledger?currency=${currency}`))
    expect(entries.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'deposit',
      'deposit_fee',
      'hold',
      'opening',
    ])
    expect(entries.every((entry: Balance) => entry.currency === currency)).toBe(true)
    await untilHolds(() => {
      const told = receiver.arrivals.map(({ body }) => body).filter(({ data }) => data.currency === currency)
      expect(told.map(({ event }) => event).toSorted()).toEqual(['momo.collection.success', 'momo.transfer.success'])
    })
  })

  it('asks the payer for a code in other countries too, by the last three digits', async () => {
    const request = { reference: 'CODE-GH', amount: 700, phoneNumber: '+233240000002' }
    expect(expectSuccess(await staging.post('/v1/momo/collection', request))).toMatchObject({ status: 'OTP_REQUIRED' })
    expectSuccess(await staging.post('/v1/momo/collection/verify-otp', { reference: 'CODE-GH', otp: rightCode }))
    await untilMomo(staging, 'collection', 'CODE-GH', 'SUCCESS')
    const refused = { reference: 'REFUSED-GH', amount: 700, phoneNumber: '+233240000003' }
    expectSuccess(await staging.post('/v1/momo/collection', refused))
    expect(await untilMomo(staging, 'collection', 'REFUSED-GH', 'FAILED')).toMatchObject({
      failureReason: 'PAYMENT_NOT_APPROVED',
      currency: 'GHS',
    })
  })

  it('refuses a currency that is not the operator’s', async () => {
    const wrong = { reference: 'WRONG', amount: 100, currency: 'NGN', ...ghana }
    expectField(await staging.post('/v1/momo/transfer', wrong), 'currency', /^currency must be GHS/)
    expectField(await staging.post('/v1/momo/collection', wrong), 'currency', /^currency must be GHS/)
    expectField(
      await staging.post('/v1/momo/transfer', { ...wrong, currency: 'EUR' }),
      'currency',
      /must be one of NGN/,
    )
  })

  it('refuses an amount that the operator cannot carry, and names the step', async () => {
    const halopesa = { reference: 'CENTS', amount: 150, phoneNumber: '+255620000001' }
    const answer = await staging.post('/v1/momo/transfer', halopesa)
    expectField(answer, 'amount', /^amount must be a multiple of 100: the operator carries whole TZS only$/)
    expect(expectSuccess(await staging.post('/v1/momo/transfer', { ...halopesa, amount: 200 }))).toMatchObject({
      amount: 200,
      currency: 'TZS',
    })
    await untilMomo(staging, 'transfer', 'CENTS', 'SUCCESS')
  })

  it('replays a first answer, and takes the same reference for no other operator', async () => {
    const request = { reference: 'TWICE', amount: 300, ...ghana }
    const first = expectSuccess(await staging.post('/v1/momo/transfer', request))
    const again = await staging.post('/v1/momo/transfer', { ...request, currency: 'GHS' })
    expect(expectSuccess(again)).toEqual(first)
    const other = { ...request, ...ivory }
    expectError(await staging.post('/v1/momo/transfer', other), 409, 'CONFLICT', /with another phoneNumber/)
    await untilMomo(staging, 'transfer', 'TWICE', 'SUCCESS')
  })

  it('holds the balance of one currency against payouts of that currency alone', async () => {
    const request = { reference: 'TOO-MUCH', amount: opening['XOF'], ...ivory }
    expectError(await staging.post('/v1/momo/transfer', request), 400, 'INSUFFICIENT_BALANCE')
    await setLimits(ctx, tenants.staging, { perPayment: toMoney(10), perDay: toMoney(10) })
    expectSuccess(await staging.post('/v1/momo/transfer', { ...request, reference: 'NO-LIMIT', amount: 1_000 }))
    await untilMomo(staging, 'transfer', 'NO-LIMIT', 'SUCCESS')
    await setLimits(ctx, tenants.staging, { perPayment: null, perDay: null })
  })

  it('limits the payouts of one currency, in one payment and in a day, and those of no other', async () => {
    const limits = { perPayment: toMoney(600), perDay: toMoney(10_000_000) }
    await setLimits(ctx, tenants.staging, limits, 'XOF')
    const request = { ...ivory, amount: 601 }
    const large = await staging.post('/v1/momo/transfer', { ...request, reference: 'LIMITED-1' })
    expectError(large, 400, 'LIMIT_EXCEEDED', 'One payout may be 600 minor units of XOF at most.')
    const used = 10_000_000n - ((await showLimits(ctx, tenants.staging, 'XOF')).left ?? 0n)
    expect(await showLimits(ctx, tenants.staging)).toEqual({ perPayment: null, perDay: null, left: null })
    await setLimits(ctx, tenants.staging, { perDay: toMoney(used + 800n) }, 'XOF')
    expectSuccess(await staging.post('/v1/momo/transfer', { ...request, reference: 'LIMITED-2', amount: 500 }))
    const rest = await staging.post('/v1/momo/transfer', { ...request, reference: 'LIMITED-3', amount: 301 })
    expectError(rest, 400, 'LIMIT_EXCEEDED', /minor units of XOF that may be paid out in a day, 300 are left/)
    expectSuccess(await staging.post('/v1/momo/transfer', { reference: 'UNLIMITED', amount: 5_000, ...ghana }))
    await untilMomo(staging, 'transfer', 'LIMITED-2', 'SUCCESS')
    await untilMomo(staging, 'transfer', 'UNLIMITED', 'SUCCESS')
    const invariants = paymentInvariants.filter(({ name }) => name.startsWith('the total of a limited day'))
    expect(await verifyLedger(ctx, { invariants, rowsPerPage: 1 })).toEqual([])
    await asOwner(service.database, 'update payout_limit_in_currency set day_amount = day_amount + 1')
    expect(await verifyLedger(ctx, { invariants, rowsPerPage: 1 })).toMatchObject([
      { tenantId: tenants.staging.id, message: expect.stringMatching(/its limit counts \d+ XOF on/) },
    ])
    await asOwner(service.database, 'update payout_limit_in_currency set day_amount = day_amount - 1')
    await setLimits(ctx, tenants.staging, { perPayment: null, perDay: null }, 'XOF')
    expectSuccess(await staging.post('/v1/momo/transfer', { ...request, reference: 'LIMITED-4', amount: 700 }))
    await untilMomo(staging, 'transfer', 'LIMITED-4', 'SUCCESS')
  })

  it('funds and quotes in the currency that is asked for', async () => {
    const funded = expectSuccess(await staging.post('/v1/sandbox/balance/fund', { amount: 1_000, currency: 'XOF' }))
    expect(funded).toMatchObject({ amount: 1_000, currency: 'XOF' })
    const fee = async (query: string) => expectSuccess(await staging.get(`/v1/fees?type=transfer&${query}`)).fee
    expect(await fee('amount=150000')).toBe(1_000)
    expect(await fee('amount=150000&currency=GHS')).toBe(1_500)
    expectField(await staging.get('/v1/fees?type=transfer&amount=1&currency=EUR'), 'currency', /must be one of NGN/)
  })
})

it('leave books that prove themselves, each currency by itself', async () => {
  const invariants = [...ledgerInvariants, ...paymentInvariants, ...depositInvariants]
  expect(await verifyLedger(ctx, { invariants })).toEqual([])
})

describe('switching', () => {
  it('off is refused while there is money, and while some is under way', async () => {
    expect(await setCurrencies(ctx, tenants.staging, { on: [], off: ['GHS'] })).toEqual({
      kind: 'in-use',
      currency: 'GHS',
    })
    expect(await setCurrencies(ctx, tenants.staging, { on: [], off: ['NGN'] })).toEqual({ kind: 'always-on' })
  })

  it('off and on again keeps the accounts and opens nothing twice', async () => {
    const set = (change: { on: Currency[]; off: Currency[] }) => setCurrencies(ctx, tenants.production, change)
    expect(await set({ on: ['KES'], off: [] })).toEqual({ kind: 'set' })
    expect(await readCurrencies(ctx, tenants.production)).toEqual([
      { currency: 'NGN', on: true },
      { currency: 'KES', on: true },
    ])
    expect(await set({ on: [], off: ['KES', 'UGX'] })).toEqual({ kind: 'set' })
    const transfer = { reference: 'OFF', amount: 100, phoneNumber: '+254712345678' }
    expectField(await production.post('/v1/momo/transfer', transfer), 'currency', /KES is not switched on/)
    const { balances: all } = expectSuccess(await production.get('/v1/balance'))
    expect(all).toEqual([
      { currency: 'NGN', available: 0, reserved: 0, ledger: 0 },
      { currency: 'KES', available: 0, reserved: 0, ledger: 0 },
    ])
    expect(await set({ on: ['KES'], off: [] })).toEqual({ kind: 'set' })
    expectError(await production.post('/v1/momo/transfer', transfer), 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
  })
})
