// Accounts at Monnify, against a fake that remembers what it has opened and answers badly. Each title names what the
// fault would do to a careless adapter.

import { describe, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { createMonnify } from '#rails/monnify/monnify.ts'
import type { NewAccount, StaticAccountOrder } from '#rails/ports.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import type { Act } from '#tests/support/fakes/provider.ts'
import { describeVirtualAccounts, numberOf } from './conformance-accounts.ts'
import { useFake } from './provider.ts'

const clock = createFakeClock()
const monnify = await startFakeMonnify(clock)
const { net, orders } = useFake(monnify, clock)
const options = {
  name: 'monnify',
  ...monnifyKeys,
  contractCode: monnifyContract,
  emailDomain: 'pay.example.com',
  baseUrl: monnify.url,
  net,
  clock,
  limits: { readMs: 1_000 },
}
const rail = createMonnify({ ...options, trust: 'signed' })
const reread = createMonnify({ ...options, trust: 'reread' })
const accounts = rail.virtualAccounts
if (accounts === undefined) throw new Error('a rail with an address for customers opens accounts')

function newStatic(): StaticAccountOrder {
  clock.advance(60_000) // Each order has its own minute, because calls are limited.
  const order = orders.staticAccount()
  return { ...order, bank: null, customer: { ...order.customer, bvn: '22222222222' } }
}

describeVirtualAccounts('Monnify', { accounts, newStatic, newDynamic: () => orders.dynamicAccount() })

const lost: [string, Act][] = [
  ['late', 'never'],
  ['cut off', 'cut-after'],
  ['an error, although it was done', 'error-done'],
  ['half a document', 'half'],
  ['a page', 'page'],
]

describe.each([
  ['a reserved account', () => newStatic()],
  ['an invoice', () => orders.dynamicAccount()],
])('%s', (_what, newOrder) => {
  const open = (order: ReturnType<typeof newOrder>): Promise<NewAccount> =>
    'customer' in order ? accounts.createStatic(order) : accounts.createDynamic(order)

  it.each(lost)('whose answer is %s is opened once, and found again', async (_title, act) => {
    const order = newOrder()
    const before = monnify.accounts.made()
    monnify.accounts.script(act)
    expect((await open(order)).kind).toBe('unavailable')
    const number = numberOf(await open(order))
    expect(number).toMatch(/^\d{10}$/)
    expect(numberOf(await open(order))).toBe(number)
    expect(monnify.accounts.made()).toBe(before + 1)
  })

  it.each([
    ['did not arrive', 'cut-before'],
    ['failed', 'error-not-done'],
    ['was too much', 'too-many'],
  ] as const)('that %s is nothing yet, and opened when it is asked for again', async (_title, act) => {
    const order = newOrder()
    monnify.accounts.script(act)
    expect((await open(order)).kind).toBe('unavailable')
    clock.advance(60_000)
    expect((await open(order)).kind).toBe('created')
  })

  it('is closed once: what an order opened, and not what the next attempt did', async () => {
    const order = newOrder()
    const [first, second] = [await open(order), await open({ ...order, attempt: 1 })]
    if (first.kind !== 'created' || second.kind !== 'created') throw new Error('both are opened')
    const { railReference } = order
    expect(await accounts.close({ ...first, railReference })).toEqual({ kind: 'closed' })
    expect(monnify.accounts.open()).not.toContain(railReference)
    expect(monnify.accounts.open()).toContain(`${railReference}-1`)
    monnify.accounts.script('error-not-done')
    expect(await accounts.close({ ...second, railReference })).toMatchObject({ kind: 'unavailable' })
    expect(monnify.accounts.open()).toContain(`${railReference}-1`)
  })
})

describe('a reserved account', () => {
  it('is the one at the bank that was asked for, not the first of those in the answer', async () => {
    const bank = { slug: 'wema-bank', name: 'Wema Bank', code: '035', nipCode: '000017', cbnCode: '035' }
    expect(await accounts.createStatic({ ...newStatic(), bank })).toMatchObject({
      kind: 'created',
      bankSlug: 'wema-bank',
      accountNumber: expect.not.stringMatching('6999999999'),
    })
  })

  it('wants a BVN, and is refused at a bank that has no code there', async () => {
    const order = newStatic()
    const { customer, bank } = orders.staticAccount()
    expect(await accounts.createStatic({ ...order, customer })).toEqual({
      kind: 'incomplete-customer',
      missing: ['bvn'],
    })
    const nowhere = { slug: 'nowhere', name: 'Nowhere', code: '1', nipCode: null, cbnCode: null }
    expect(await accounts.createStatic({ ...order, bank: nowhere })).toEqual({ kind: 'unsupported-bank' })
    expect(bank).not.toBeNull()
  })

  it('is one for each person', async () => {
    monnify.accounts.script({ code: 'R42', message: 'You cannot reserve more than 1 account(s) for a customer' })
    expect(await accounts.createStatic(newStatic())).toEqual({ kind: 'unsupported', what: 'second-account' })
  })

  it('is found again for the caller who opened it, even if the person has another account or no BVN any more', async () => {
    const order = newStatic()
    monnify.accounts.script('cut-after')
    expect((await accounts.createStatic(order)).kind).toBe('unavailable')
    monnify.accounts.script({ code: 'R42', message: 'You cannot reserve more than 1 account(s) for a customer' })
    const found = await accounts.createStatic(order)
    expect(found.kind).toBe('created')
    const customer = { ...order.customer, bvn: null }
    expect(await accounts.createStatic({ ...order, customer })).toEqual(found)
    monnify.accounts.script('error-not-done')
    expect(await accounts.createStatic({ ...order, customer })).toMatchObject({ kind: 'unavailable' })
  })

  it('is unavailable after any other refusal', async () => {
    monnify.accounts.script({ code: '99', message: 'Something is wrong with the contract' })
    expect(await accounts.createStatic(newStatic())).toMatchObject({ kind: 'unavailable' })
  })
})

it.each([
  ['Ọlá  Ṣóbò\u200b & Sons', 'Ola Sobo & Sons'],
  ['李', 'Customer'],
  ['A'.repeat(140), 'A'.repeat(100)],
])('the name %j is sent in plain letters', async (accountName, expected) => {
  const invoice = await accounts.createDynamic({ ...orders.dynamicAccount(), accountName })
  const reserved = await accounts.createStatic({ ...newStatic(), accountName })
  expect([invoice, reserved]).toMatchObject([{ accountName: expected }, { accountName: expected }])
})

it('an invoice whose time is over is found, and not opened', async () => {
  const [opened, never] = [orders.dynamicAccount(), orders.dynamicAccount()]
  const number = numberOf(await accounts.createDynamic(opened))
  clock.advance(opened.expiresAtMs - clock.now())
  const before = monnify.accounts.made()
  expect(await accounts.createDynamic(opened)).toMatchObject({ kind: 'created', accountNumber: number })
  expect(await accounts.createDynamic(never)).toEqual({ kind: 'unsupported', what: 'lifetime' })
  monnify.accounts.script('error-not-done')
  expect(await accounts.createDynamic(never)).toMatchObject({ kind: 'unavailable' })
  expect(monnify.accounts.made()).toBe(before)
})

it('an invoice is not opened for less than Monnify bills', async () => {
  const order = orders.dynamicAccount()
  expect(await accounts.createDynamic({ ...order, amount: toMoney(1_999n) })).toEqual({
    kind: 'unsupported',
    what: 'small-amount',
  })
  expect((await accounts.createDynamic({ ...order, amount: toMoney(2_000n) })).kind).toBe('created')
})

describe('money that came for an invoice', () => {
  it('is reported without a signature, and credited to the account of that invoice alone', async () => {
    const order = { ...orders.dynamicAccount(), amount: toMoney(500_050) }
    const answer = await accounts.createDynamic(order)
    expect(answer).toMatchObject({ bankSlug: 'wema-bank', expiresAtMs: Math.floor(order.expiresAtMs / 1_000) * 1_000 })
    const reference = 'MNFY|INV|1'
    monnify.pay({ reference, naira: '5000.50', reservation: order.railReference, productType: 'INVOICE' })
    const told = (accountNumber: string) =>
      Buffer.from(
        JSON.stringify({
          eventType: 'SUCCESSFUL_TRANSACTION',
          eventData: {
            transactionReference: reference,
            paymentMethod: 'ACCOUNT_TRANSFER',
            destinationAccountInformation: { accountNumber },
          },
        }),
      )
    const number = numberOf(answer)
    expect(await reread.inbound.read(told(number))).toMatchObject({
      notices: [{ about: 'deposit', deposit: { account: { number }, amount: 500_050n } }],
    })
    expect(await reread.inbound.read(told('6000140770'))).toMatchObject({ kind: 'unavailable' })
  })
})
