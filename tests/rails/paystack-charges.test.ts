// Accounts for one payment at Paystack, against a fake that remembers what it has opened and answers badly.

import { beforeEach, describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import type { DynamicAccountOrder } from '#rails/ports.ts'
import type { Act } from '#tests/support/fakes/provider.ts'
import { numberOf } from './conformance-accounts.ts'
import { usePaystackAccounts } from './paystack-bench.ts'

const { clock, paystack, orders, accounts } = await usePaystackAccounts()
const { charges } = paystack
const minuteMs = 60_000

beforeEach(() => {
  clock.advance(minuteMs) // Each test has its own minute, because calls are limited.
  charges.showsAccounts = true
})

function newOrder(lifeMs = 30 * minuteMs): DynamicAccountOrder {
  return { ...orders.dynamicAccount(), policy: 'exact', expiresAtMs: clock.now() + lifeMs }
}

describe('a charge', () => {
  it('is an account of exactly our amount, under our reference, until our time', async () => {
    const order = newOrder()
    expect(await accounts.createDynamic(order)).toMatchObject({
      kind: 'created',
      bankSlug: 'titan-paystack',
      handle: null,
      expiresAtMs: order.expiresAtMs,
    })
    expect(charges.made().at(-1)).toMatchObject({ reference: order.railReference, amount: Number(order.amount) })
  })

  it('is not opened for any amount: Paystack sends others back', async () => {
    const before = charges.made().length
    expect(await accounts.createDynamic({ ...newOrder(), policy: 'any' })).toEqual({
      kind: 'unsupported',
      what: 'any-amount',
    })
    expect(charges.made()).toHaveLength(before)
  })

  it('is not opened for less than Paystack charges, however often it is asked for', async () => {
    const before = charges.made().length
    const unsupported = { kind: 'unsupported', what: 'small-amount' }
    expect(await accounts.createDynamic({ ...newOrder(), amount: toMoney(9_999n) })).toEqual(unsupported)
    expect(charges.made()).toHaveLength(before)
    expect((await accounts.createDynamic({ ...newOrder(), amount: toMoney(10_000n) })).kind).toBe('created')
  })

  it('that is to live for a day ends after eight hours, as Paystack says', async () => {
    const order = newOrder(24 * 60 * minuteMs)
    expect(await accounts.createDynamic(order)).toMatchObject({ expiresAtMs: clock.now() + 8 * 60 * minuteMs })
  })

  const lost: Act[] = ['never', 'cut-after', 'error-done', 'half', 'page']
  it.each(lost)('whose answer is lost (%s) is opened once, and found again', async (act) => {
    const order = newOrder()
    const before = charges.made().length
    charges.script(act)
    expect((await accounts.createDynamic(order)).kind).toBe('unavailable')
    expect(numberOf(await accounts.createDynamic(order))).toBe(charges.made().at(-1)?.number)
    expect(charges.made()).toHaveLength(before + 1)
  })

  it.each(['cut-before', 'error-not-done', 'too-many', 'refused'] as const)(
    'that was never made (%s) is nothing yet, and made when it is asked for again',
    async (act) => {
      const order = newOrder()
      charges.script(act)
      expect((await accounts.createDynamic(order)).kind).toBe('unavailable')
      clock.advance(minuteMs)
      expect((await accounts.createDynamic(order)).kind).toBe('created')
    },
  )

  it('has another number for the next attempt, under a reference of its own', async () => {
    const order = newOrder()
    const numbers = [await accounts.createDynamic(order), await accounts.createDynamic({ ...order, attempt: 1 })]
    expect(new Set(numbers.map(numberOf)).size).toBe(2)
    expect(charges.made().map(({ reference }) => reference)).toContain(`${order.railReference}-1`)
  })

  it('cannot be closed by us', async () => {
    const { railReference, ...order } = newOrder()
    const accountNumber = numberOf(await accounts.createDynamic({ ...order, railReference }))
    expect(await accounts.close({ railReference, accountNumber, handle: null })).toMatchObject({ kind: 'unavailable' })
  })
})

describe('a charge whose answer is lost and that Paystack does not show again', () => {
  it('waits until it has certainly lapsed, and only then counts as none', async () => {
    charges.showsAccounts = false
    const order = newOrder()
    charges.script('cut-after')
    expect((await accounts.createDynamic(order)).kind).toBe('unavailable')
    const made = charges.made().length
    for (const ms of [0, 30 * minuteMs, 14 * minuteMs]) {
      clock.advance(ms)
      expect(await accounts.createDynamic(order)).toMatchObject({ kind: 'unavailable' })
    }
    clock.advance(minuteMs)
    expect(await accounts.createDynamic(order)).toEqual({ kind: 'unsupported', what: 'lifetime' })
    expect(charges.made()).toHaveLength(made)
  })
})
