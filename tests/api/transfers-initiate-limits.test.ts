// Limits and pauses of an operator that refuse a valid transfer.

import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { setLimits } from '#payments/limits.ts'
import { pausePayouts } from '#payments/brakes.ts'
import { neverEnding, transferBody, untilPaused } from '#tests/payments/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const path = '/v1/transfers/initiate'

/** Rows that a refused request must not leave behind. */
async function traces(reference: unknown): Promise<unknown[]> {
  return asOwner(
    service.database,
    'select reference from payment where reference = $1 union all select reference from ledger_movement where reference = $1',
    [reference],
  )
}

describe('400 LIMIT_EXCEEDED', () => {
  it('names what is left, for one payment and for the day, and stores nothing', async () => {
    const { business, staging } = await service.addBusiness('Limited')
    const setting = (perPayment: number, perDay: number) =>
      setLimits(service.ctx, business.tenants.staging, { perPayment: toMoney(perPayment), perDay: toMoney(perDay) })
    await setting(100_000, 250_000)
    const tooLarge = transferBody({ amount: 100_001 })
    const first = await staging.post(path, tooLarge)
    expectError(first, 400, 'LIMIT_EXCEEDED', 'One payout may be 100000 kobo at most.')
    expect(first.body.error?.details).toEqual([
      {
        field: 'amount',
        message: 'at most 100000 in one payment',
        code: 'over_payment_limit',
        params: { max: 100_000, currency: 'NGN' },
      },
    ])
    expect(await traces(tooLarge['reference'])).toEqual([])
    for (const amount of [100_000, 90_000]) expectSuccess(await staging.post(path, transferBody({ amount })))
    const overTheDay = transferBody({ amount: 60_001 })
    const second = await staging.post(path, overTheDay)
    expectError(second, 400, 'LIMIT_EXCEEDED', 'Of the 250000 kobo that may be paid out in a day, 60000 are left.')
    expect(second.body.error?.details).toEqual([
      {
        field: 'amount',
        message: expect.stringMatching(/^at most 60000 until \d{4}-\d\d-\d\dT23:00:00\.000Z, when/),
        code: 'over_daily_limit',
        params: { max: 60_000, resetsAt: expect.stringMatching(/T23:00:00\.000Z$/), currency: 'NGN' },
      },
    ])
    expect(await traces(overTheDay['reference'])).toEqual([])
    await setting(100_000, 300_000)
    expectSuccess(await staging.post(path, overTheDay))
  })
})

describe('403 PAYOUTS_PAUSED', () => {
  it('while payouts are paused: stores nothing, and still replays accepted requests', async () => {
    const { business, staging } = await service.addBusiness('Paused')
    const before = transferBody({ accountNumber: neverEnding })
    const data = expectSuccess(await staging.post(path, before))
    await pausePayouts(service.ctx, { businessId: business.id })
    await untilPaused(staging, true)
    const body = transferBody({ bankSlug: 'no-such-bank' })
    expectError(await staging.post(path, body), 403, 'PAYOUTS_PAUSED', 'Payouts are paused.')
    expect(await traces(body['reference'])).toEqual([])
    const again = await staging.post(path, before)
    expect(expectSuccess(again)).toEqual(data)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expectError(await staging.post(path, { ...before, amount: 7 }), 409, 'CONFLICT')
    expectError(await staging.post(path, { ...body, amount: 0 }), 400, 'VALIDATION_ERROR')
    expectSuccess(await staging.get(`/v1/transfers/${String(before['reference'])}`))
  })
})
