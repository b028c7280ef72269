// Corrections on the page of operations: only an operator makes them, only after a recent second factor, and each
// review item allows one.

import { describe, expect, it } from 'vitest'
import { setCurrencies } from '#businesses/currencies.ts'
import { formatId } from '#platform/ids.ts'
import { newBreak, newException, newRefusedRefund, itemOf, refundStatusOf } from '#tests/corrections/items.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { fundTenant } from '#tests/support/fund.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const { staging, production, database, ctx, business } = service
const { tenants } = business
const operator = await addPerson(service, { isOperator: true, hasFactor: true, steppedUp: true })
const id = formatId('business', business.id)
const body = { business: id, environment: 'staging', note: 'ticket 881' }
await fundTenant(database, tenants.production.id, 1_000_000)

const available = async (client: typeof staging): Promise<number> =>
  expectSuccess(await client.get('/v1/balance')).balances[0].available

async function paid(reference: string): Promise<string> {
  expectSuccess(await staging.post('/v1/transfers/initiate', transferBody({ reference })))
  await untilStatus(staging, reference, 'SUCCESS')
  return newException(database, ctx, tenants.staging, 'staging', { reference })
}

describe('only an operator may correct', () => {
  const paths = [
    'items/exc_1/settle',
    'items/exc_1/adjust',
    'deposits/adopt',
    'deposits/resolve-refund',
    'exceptions/exc_1/close',
    'breaks/brk_1/close',
  ]

  it.each(paths)('%s: an operator with the second factor of a moment ago, and nobody else', async (path) => {
    const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
    expectError(await owner.post(`/operations/${path}`, body), 403, 'FORBIDDEN')
    const weak = await addPerson(service, { isOperator: true })
    expectError(await weak.post(`/operations/${path}`, body), 403, 'SECOND_FACTOR_REQUIRED')
    const earlier = await addPerson(service, { isOperator: true, hasFactor: true })
    expectError(await earlier.post(`/operations/${path}`, body), 403, 'STEP_UP_REQUIRED')
  })
})

describe('an adjustment', () => {
  it('moves the balance once, names the person, and shows the business what it may see', async () => {
    const item = await newBreak(database, ctx)
    const path = `/operations/items/${item}/adjust`
    const wish = { ...body, environment: 'production', amount: -250_000 }
    expect(expectSuccess(await operator.post(path, wish))).toEqual({ available: 750_000 })
    expect(await available(production)).toBe(750_000)
    const { entries } = expectSuccess(await production.get('/v1/balance/ledger?limit=1'))
    expect(entries).toMatchObject([{ type: 'adjustment', reference: item, amount: -250_000, balanceAfter: 750_000 }])
    expect(JSON.stringify(entries)).not.toContain('ticket 881')
    expectError(await operator.post(path, wish), 409, 'CONFLICT')
    const acts = await asOwner(database, 'select act, person_id from audit_entry where subject = $1 order by number', [
      item,
    ])
    expect(acts).toEqual([
      { act: 'rail.break-closed', person_id: operator.id },
      { act: 'ledger.adjusted', person_id: operator.id },
    ])
  })

  it('is made in the currency of the item, if the business has a balance in it', async () => {
    const item = await newBreak(database, ctx, { currency: 'XOF' })
    const adjust = (amount: number) =>
      operator.post(`/operations/items/${item}/adjust`, {
        ...body,
        environment: 'production',
        amount,
        currency: 'XOF',
      })
    const refused = await adjust(5)
    expectError(refused, 400, 'VALIDATION_ERROR')
    expect(refused.body.error?.details).toMatchObject([{ field: 'currency' }])
    await setCurrencies(ctx, service.business.tenants.production, { on: ['XOF'], off: [] })
    expect((await adjust(-5)).body.error?.details).toMatchObject([
      { field: 'amount', message: expect.stringContaining('Only XOF 0 is available') },
    ])
    expect(expectSuccess(await adjust(1_500))).toEqual({ available: 1_500 })
  })

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: 1.5 }, 'amount'],
    [{ amount: -2_000_000 }, 'amount'],
    [{ business: 'biz_1' }, 'business'],
    [{ environment: 'staging' }, 'environment'],
    [{ note: '' }, 'note'],
  ])('%j is refused beside its field', async (wrong, field) => {
    const item = await newBreak(database, ctx)
    const wish = { ...body, environment: 'production', amount: 5, ...wrong }
    const answer = await operator.post(`/operations/items/${item}/adjust`, wish)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details).toMatchObject([{ field }])
    expect((await itemOf(database, ctx, item)).closed_at).toBeNull()
  })

  it('with an unknown review item is not found', async () => {
    const wish = { ...body, amount: 5 }
    expectError(await operator.post('/operations/items/exc_1/adjust', wish), 404, 'NOT_FOUND')
  })
})

describe('a payment', () => {
  it('that succeeded is returned, and closes its item', async () => {
    const before = await available(staging)
    const item = await paid('BACK-1')
    const wish = { ...body, reference: 'BACK-1', as: 'returned' }
    expect(expectSuccess(await operator.post(`/operations/items/${item}/settle`, wish))).toEqual({
      reference: 'BACK-1',
      status: 'REVERSED',
    })
    expect(await available(staging)).toBe(before)
    expect((await itemOf(database, ctx, item)).note).toBe('ticket 881')
    expectSuccess(await operator.post(`/operations/items/${item}/settle`, wish))
  })

  it('that does not exist, cannot end so, or is still in progress gets a reason', async () => {
    const item = await paid('BACK-2')
    const path = `/operations/items/${item}/settle`
    expectError(await operator.post(path, { ...body, reference: 'NONE', as: 'failed' }), 400, 'VALIDATION_ERROR')
    expectError(await operator.post(path, { ...body, reference: 'BACK-2', as: 'failed' }), 409, 'CONFLICT')
    expectSuccess(
      await staging.post('/v1/transfers/initiate', transferBody({ reference: 'OPEN', accountNumber: '9990000009' })),
    )
    expectError(await operator.post(path, { ...body, reference: 'OPEN', as: 'success' }), 409, 'CONFLICT')
    expect((await itemOf(database, ctx, item)).closed_at).toBeNull()
  })
})

describe('a deposit', () => {
  it('that waits for no decision is not adopted', async () => {
    const wish = { account: '0123456789', note: 'x' }
    for (const notice of ['production:acme:1', 'nothing'])
      expectError(await operator.post('/operations/deposits/adopt', { ...wish, notice }), 409, 'CONFLICT')
    const short = { ...wish, account: '12', notice: 'production:acme:1' }
    const answer = await operator.post('/operations/deposits/adopt', short)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details).toMatchObject([{ field: 'account' }])
  })
})

describe('a refund', () => {
  const path = '/operations/deposits/resolve-refund'
  const word = { note: 'ticket 881' }

  it.each([
    ['refunded', 'REFUNDED'],
    ['retry', 'ASKED'],
  ])('that was refused is resolved as %s, and its item is closed under the name of the person', async (as, status) => {
    const { reference, item } = await newRefusedRefund(database, ctx, tenants.production)
    expect(expectSuccess(await operator.post(path, { ...word, reference, as }))).toEqual({ reference, status })
    expect(await refundStatusOf(database, reference)).toBe(status)
    expect((await itemOf(database, ctx, item)).note).toBe('ticket 881')
    const sql = 'select act, person_id from audit_entry where subject = $1'
    expect(await asOwner(database, sql, [reference])).toEqual([{ act: 'refund.resolved', person_id: operator.id }])
    // The payment has ended, or the service is asking its provider.
    const again = await operator.post(path, { ...word, reference, as: 'retry' })
    expectError(again, 409, 'CONFLICT')
    expect(again.body.error?.message).toContain(
      as === 'refunded'
        ? `${reference} has no open refund`
        : `The provider may still send the money of ${reference} back`,
    )
    expect(await refundStatusOf(database, reference)).toBe(status)
  })

  it('that does not exist gets a conflict, and a wrong request gets an error on its field', async () => {
    expectError(await operator.post(path, { ...word, reference: 'DEP1', as: 'refunded' }), 409, 'CONFLICT')
    for (const [wrong, field] of [
      [{ as: 'failed' }, 'as'],
      [{ note: '' }, 'note'],
    ] as const) {
      const answer = await operator.post(path, { ...word, reference: 'DEP1', as: 'retry', ...wrong })
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details).toMatchObject([{ field }])
    }
  })
})
