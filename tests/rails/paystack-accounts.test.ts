// Accounts at Paystack, against a fake that remembers what it has opened and answers badly. Each title names what the
// fault would do to a careless adapter.

import { describe, expect, it } from 'vitest'
import { createPaystack } from '#rails/paystack/paystack.ts'
import type { StaticAccountOrder } from '#rails/ports.ts'
import type { Act } from '#tests/support/fakes/provider.ts'
import { describeVirtualAccounts, numberOf } from './conformance-accounts.ts'
import { usePaystackAccounts } from './paystack-bench.ts'

const { clock, paystack, orders, options, accounts } = await usePaystackAccounts()

function newOrder(): StaticAccountOrder {
  clock.advance(60_000) // Each order has its own minute, because calls are limited.
  const order = orders.staticAccount()
  const customer = { ...order.customer, phoneNumber: '+2348030000000', email: 'ada@example.com' }
  return { ...order, bank: null, customer }
}

describeVirtualAccounts('Paystack', { accounts, newStatic: newOrder, newDynamic: () => orders.dynamicAccount() })

describe('an account', () => {
  const lost: Act[] = ['never', 'cut-after', 'error-done', 'half', 'page']
  it.each(lost)('whose answer is lost (%s) is opened once, and found again', async (act) => {
    const order = newOrder()
    const before = paystack.accounts.made()
    paystack.accounts.script('create', act)
    expect((await accounts.createStatic(order)).kind).toBe('unavailable')
    const number = numberOf(await accounts.createStatic(order))
    expect(number).toMatch(/^70\d{8}$/)
    expect(paystack.accounts.made()).toBe(before + 1)
  })

  it.each(['customer', 'list', 'create'] as const)('is not there yet when Paystack fails at %s', async (call) => {
    for (const act of ['cut-before', 'error-not-done', 'too-many'] as const) {
      const order = newOrder()
      const before = paystack.accounts.made()
      paystack.accounts.script(call, act)
      expect(await accounts.createStatic(order), act).toMatchObject({ kind: 'unavailable' })
      expect(paystack.accounts.made()).toBe(before)
      clock.advance(60_000)
      expect((await accounts.createStatic(order)).kind).toBe('created')
    }
  })

  it('is found again where Paystack refuses a customer that it has', async () => {
    const order = newOrder()
    const first = await accounts.createStatic(order)
    paystack.accounts.refusesKnown = true
    expect(await accounts.createStatic(order)).toEqual(first)
    paystack.accounts.refusesKnown = false
  })

  it('is at the test bank with a test key, because Paystack has no other bank for tests', async () => {
    expect(accounts.defaultBankSlug).toBe('test-bank')
    expect(await accounts.createStatic(newOrder())).toMatchObject({ bankSlug: 'test-bank' })
    const live = createPaystack({ ...options, secretKey: 'sk_live_0123456789' })
    expect(live.virtualAccounts?.defaultBankSlug).toBe('titan-paystack')
  })

  it('belongs to one of our businesses alone, although both know the same person', async () => {
    const [one, other] = [newOrder(), newOrder()]
    const opened = await Promise.all([one, other].map((order) => accounts.createStatic(order)))
    expect(new Set(opened.map(numberOf)).size).toBe(2)
  })

  it('is at the bank that is named, if Paystack has accounts there', async () => {
    const wema = { slug: 'wema-bank', name: 'Wema Bank', code: '035', nipCode: '000017', cbnCode: '035' }
    expect(await accounts.createStatic({ ...newOrder(), bank: wema })).toMatchObject({ bankSlug: 'wema-bank' })
    const nowhere = { ...wema, slug: 'nowhere' }
    expect(await accounts.createStatic({ ...newOrder(), bank: nowhere })).toEqual({ kind: 'unsupported-bank' })
    paystack.accounts.script('providers', 'error-not-done')
    expect(await accounts.createStatic({ ...newOrder(), bank: wema })).toMatchObject({ kind: 'unavailable' })
  })

  it('wants a telephone number', async () => {
    const order = newOrder()
    const customer = { ...order.customer, phoneNumber: null }
    expect(await accounts.createStatic({ ...order, customer })).toEqual({
      kind: 'incomplete-customer',
      missing: ['phoneNumber'],
    })
  })

  it('tells an operator why Paystack refused the customer, and not that the customer is then missing', async () => {
    paystack.accounts.script('customer', 'refused-phone')
    expect(await accounts.createStatic(newOrder())).toMatchObject({
      kind: 'unavailable',
      detail: expect.stringContaining('422'),
    })
  })

  it('is found again by the caller who opened it, although the telephone number is gone by now', async () => {
    const order = newOrder()
    const opened = await accounts.createStatic(order)
    const customer = { ...order.customer, phoneNumber: null }
    expect(await accounts.createStatic({ ...order, customer })).toEqual(opened)
    paystack.accounts.script('customer', 'error-not-done')
    expect(await accounts.createStatic({ ...order, customer })).toMatchObject({ kind: 'unavailable' })
  })

  it('waits while the feature is not switched on', async () => {
    paystack.accounts.script('create', 'refused')
    expect(await accounts.createStatic(newOrder())).toMatchObject({ kind: 'unavailable' })
  })

  it('is closed by its id there, once, and not before Paystack says so', async () => {
    const order = newOrder()
    const [first, second] = [await accounts.createStatic(order), await accounts.createStatic({ ...order, attempt: 1 })]
    if (first.kind !== 'created' || second.kind !== 'created') throw new Error('both are opened')
    expect(first.handle).toMatch(/^90071992547409\d{5}$/)
    paystack.accounts.script('close', 'error-not-done', 'error-done')
    const close = () => accounts.close({ ...first, railReference: order.railReference })
    expect(await close()).toMatchObject({ kind: 'unavailable' })
    expect(paystack.accounts.open()).toContain(first.accountNumber)
    expect(await close()).toMatchObject({ kind: 'unavailable' })
    expect(await close()).toEqual({ kind: 'closed' })
    expect(paystack.accounts.open()).not.toContain(first.accountNumber)
    expect(paystack.accounts.open()).toContain(second.accountNumber)
  })
})
