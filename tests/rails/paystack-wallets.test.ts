// Mobile money at Paystack accounts outside Nigeria, against a fake that checks requests strictly and answers badly.

import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { toMoney, type Currency, type Money } from '#platform/money.ts'
import { createPaystackWallets } from '#rails/paystack/paystack.ts'
import {
  momoFailureReasons,
  type BusinessOrder,
  type CollectionOrder,
  type MomoOrder,
  type MomoPayoutOrder,
  type RailOperator,
} from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { paystackTestKey, startFakePaystack, type TransferScript } from '#tests/support/fakes/paystack.ts'
import type { WalletScript } from '#tests/support/fakes/paystack-wallets.ts'
import { findOperator } from '#directory/operators.ts'
import { describeSubmission, type Fate } from './conformance.ts'
import { useFake } from './provider.ts'

const clock = createFakeClock()
const minuteMs = 60_000
const operator = (slug: string): RailOperator => present(findOperator(slug), `the directory has ${slug}`)

async function accountOf(country: 'GH' | 'KE' | 'CI', currency: 'GHS' | 'KES' | 'XOF') {
  const fake = await startFakePaystack(clock, paystackTestKey, currency)
  const { net, orders } = useFake(fake, clock)
  const options = { name: 'paystack', secretKey: paystackTestKey, emailDomain: 'pay.example.com', baseUrl: fake.url }
  const limits = { submitMs: 1_000, readMs: 1_000 }
  const rail = createPaystackWallets({ ...options, country, net, clock, limits })
  const collections = present(rail.momoCollection, 'it collects')
  return { fake, orders, rail, collections, payouts: rail.momoPayout }
}

const ghana = await accountOf('GH', 'GHS')
const kenya = await accountOf('KE', 'KES')
const ivoryCoast = await accountOf('CI', 'XOF')
const payouts = present(ghana.payouts, 'it pays wallets in Ghana')

let numbersUsed = 240_000_000
const newNumber = (): string => String(++numbersUsed)
const national = ({ phoneNumber }: MomoPayoutOrder): string => `0${phoneNumber?.slice(4)}`

type Where = Pick<CollectionOrder, 'phoneNumber' | 'operator'> & { currency: Currency }
const inGhana = (slug = 'mtn-gh'): Where => {
  return { phoneNumber: `+233${newNumber()}`, operator: operator(slug), currency: 'GHS' }
}

/** Each order has its own minute, because calls are limited. */
function newOrder(where: Where, amount?: Money): CollectionOrder {
  clock.advance(minuteMs)
  return { ...ghana.orders.collection(where.phoneNumber, where.operator, amount), currency: where.currency }
}
function newPayout(script: TransferScript = {}, amount?: Money): MomoOrder {
  const order = newOrder(inGhana(), amount)
  ghana.fake.script(national(order), script)
  return order
}
function newCollection(script: WalletScript = {}, amount?: Money, slug?: string): CollectionOrder {
  const order = newOrder(inGhana(slug), amount)
  ghana.fake.wallets.script(national(order), script)
  return order
}

const scenarios: [string, Fate, TransferScript & WalletScript][] = [
  ['answered late', 'paid', { submit: ['late'] }],
  ['never answered', 'paid', { submit: ['never'], status: ['never'] }],
  ['answered twice', 'paid', { submit: ['twice'] }],
  ['answered with half a JSON text', 'paid', { submit: ['half'], status: ['half'] }],
  ['answered with a web page', 'paid', { submit: ['page'], status: ['page'] }],
  ['answered 500 but done', 'paid', { submit: ['error-done'], status: ['error-done'] }],
  ['cut off after it arrived', 'paid', { submit: ['cut-after'], status: ['cut-after'] }],
  ['called a duplicate although it was the first', 'paid', { submit: ['duplicate'] }],
  ['called a duplicate although it never came', 'lost', { submit: ['duplicate-untrue'] }],
  ['answered with a word that nobody knows', 'paid', { submit: ['odd-word'], status: ['odd-word'] }],
  ['made and not shown at first', 'paid', { hiddenMs: 14 * minuteMs }],
  ['not shown at first', 'paid', { submit: ['never'], status: ['missing', 'missing-page', 'missing'] }],
  ['asked about with a key that is refused', 'paid', { status: ['key-refused'] }],
  ['cut off before it was read', 'lost', { submit: ['cut-before'] }],
  ['answered 503 and not done', 'lost', { submit: ['error-not-done'] }],
  ['answered by a gateway', 'lost', { submit: ['gateway-page'] }],
]

describeSubmission('Paystack payout to a wallet', {
  port: payouts,
  clock,
  reasons: momoFailureReasons,
  newOrder: (amount) => newPayout({}, amount),
  paymentsMade: (order) => ghana.fake.transfersTo(national(order)).length,
  amountArrived: (order) => toMoney(present(ghana.fake.transfersTo(national(order))[0], 'it arrived').amount),
  scenarios: [
    ...scenarios.map(([title, fate, script]) => ({ title, fate, newOrder: () => newPayout(script) })),
    { title: 'done', fate: 'paid', newOrder: () => newPayout() },
    { title: 'failed', fate: 'refused', newOrder: () => newPayout({ fate: 'failed', failures: 'limit' }) },
    { title: 'paid and sent back', fate: 'returned', newOrder: () => newPayout({ fate: 'reversed' }) },
  ],
})

describeSubmission('Paystack collection', {
  port: ghana.collections,
  clock,
  reasons: momoFailureReasons,
  newOrder: (amount) => newCollection({}, amount),
  paymentsMade: (order) => ghana.fake.wallets.chargesOf(national(order)).length,
  amountArrived: (order) => toMoney(present(ghana.fake.wallets.chargesOf(national(order))[0], 'it came').amount),
  scenarios: [
    ...scenarios.map(([title, fate, script]) => ({ title, fate, newOrder: () => newCollection(script) })),
    { title: 'approved', fate: 'paid', newOrder: () => newCollection() },
    { title: 'declined', fate: 'refused', newOrder: () => newCollection({ fate: 'refused' }) },
    { title: 'taken and given back', fate: 'refused', newOrder: () => newCollection({ fate: 'reversed' }) },
    { title: 'never approved', fate: 'open', newOrder: () => newCollection({ fate: 'open' }) },
  ],
})

const tills = present(kenya.payouts, 'it pays in Kenya')

function newBusinessPayout(accountReference: string | null, script: TransferScript = {}): BusinessOrder {
  const accountNumber = String(++numbersUsed).slice(-6)
  const { phoneNumber: _none, ...order } = newOrder({
    phoneNumber: '',
    operator: operator(accountReference === null ? 'mpesa-till' : 'mpesa-paybill'),
    currency: 'KES',
  })
  kenya.fake.script(accountNumber, script)
  return { ...order, phoneNumber: null, accountNumber, accountReference }
}

describe('the till or paybill of a business', () => {
  it('is a recipient of its own type, and a paybill gets the account of the caller', async () => {
    const order = newBusinessPayout('INV-2026/11')
    expect(await tills.submit(order)).toEqual({ kind: 'pending' })
    const [made] = kenya.fake.transfersTo(order.accountNumber)
    expect(made).toMatchObject({ bankCode: 'MPPAYBILL', accountReference: 'INV-2026/11', amount: 150_000 })
    expect(await tills.status(order)).toEqual({ kind: 'succeeded', operatorReference: null })
  })

  it('gets the end of our own reference as a till, the same each time', async () => {
    const order = newBusinessPayout(null)
    await tills.submit(order)
    await tills.submit(order)
    const [made] = kenya.fake.transfersTo(order.accountNumber)
    expect(made).toMatchObject({ bankCode: 'MPTILL', accountReference: expect.stringMatching(/^[0-9a-z]{12}$/) })
    expect(order.railReference.replaceAll('-', '').endsWith(made?.accountReference ?? '-')).toBe(true)
    expect(kenya.fake.transfersTo(order.accountNumber)).toHaveLength(1)
  })

  it('fails when Paystack says so, and with a reason of mobile money', async () => {
    const order = newBusinessPayout(null, { fate: 'failed', failures: 'Invalid destination account' })
    await tills.submit(order)
    expect(await tills.status(order)).toEqual({ kind: 'failed', reason: 'RECIPIENT_NOT_FOUND' })
  })

  it('is not another business whose number ends alike', async () => {
    const shown = (changes: Record<string, string>) => ({ destinationShown: changes })
    const number = newBusinessPayout(null, shown({ account_number: '9999999' }))
    await tills.submit(number)
    expect(await tills.status(number)).toMatchObject({ kind: 'unknown', why: 'mismatch' })
    const paybill = newBusinessPayout(null, shown({ bank_code: 'MPPAYBILL' }))
    await tills.submit(paybill)
    expect(await tills.status(paybill)).toMatchObject({ kind: 'unknown', why: 'mismatch' })
  })

  it('is paid from Kenya alone, and by no wallet of this operator', async () => {
    expect(tills.serves?.(operator('mpesa-till'))).toBe(true)
    expect(tills.serves?.(operator('mpesa-paybill'))).toBe(true)
    expect(payouts.serves?.(operator('mpesa-till'))).toBe(false)
    expect(kenya.collections.serves?.(operator('mpesa-till'))).toBe(false)
    const elsewhere = { ...newBusinessPayout(null), operator: operator('mtn-gh') }
    expect(await tills.submit(elsewhere)).toMatchObject({ kind: 'failed', created: false })
  })
})

describe('a wallet', () => {
  it('is paid in Ghana and Kenya by its national number, in the currency of the account', async () => {
    const inKenya = newOrder({ phoneNumber: '+254710000000', operator: operator('mpesa-ke'), currency: 'KES' })
    expect(await present(kenya.payouts, 'it pays in Kenya').submit(inKenya)).toEqual({ kind: 'pending' })
    expect(kenya.fake.transfersTo('0710000000')).toMatchObject([{ bankCode: 'MPESA', amount: 150_000 }])
    const order = newPayout()
    await payouts.submit(order)
    expect(await payouts.status(order)).toEqual({ kind: 'succeeded', operatorReference: null })
  })

  it('may be shown with the code of its country, but not as another wallet', async () => {
    const order = newPayout()
    ghana.fake.script(national(order), { recipientShown: { account_number: order.phoneNumber.slice(1) } })
    expect(await payouts.submit(order)).toEqual({ kind: 'pending' })
    const other = newPayout({ recipientShown: { account_number: '0240000001' } })
    expect(await payouts.submit(other)).toMatchObject({ kind: 'unknown', sent: false })
  })

  it('of another country, or of an operator that Paystack does not have, is not served', async () => {
    expect(ghana.payouts?.serves?.(operator('mpesa-ke'))).toBe(false)
    expect(kenya.payouts?.serves?.(operator('airtel-ke'))).toBe(false)
    expect(kenya.collections.serves?.(operator('airtel-ke'))).toBe(true)
    expect(ivoryCoast.payouts).toBeUndefined()
    expect(ivoryCoast.collections.serves?.(operator('orange-ci'))).toBe(true)
    // With this operator a payer would have to open a page, so the rail does not serve it.
    expect(ivoryCoast.collections.serves?.(operator('wave-ci'))).toBe(false)
    const order = newOrder({ phoneNumber: '+254710000000', operator: operator('mpesa-ke'), currency: 'KES' })
    expect(await payouts.submit(order)).toEqual({ kind: 'failed', reason: 'OPERATOR_UNAVAILABLE', created: false })
    expect(await ghana.collections.submit(order)).toEqual({ kind: 'failed', reason: 'OPERATOR_UNAVAILABLE' })
  })
})

describe('a collection', () => {
  it('is put to Kenya by the number with its country, and to Côte d’Ivoire in the unit of Paystack', async () => {
    const inKenya = newOrder({ phoneNumber: '+254710000001', operator: operator('mpesa-ke'), currency: 'KES' })
    expect(await kenya.collections.submit(inKenya)).toEqual({ kind: 'pending' })
    expect(kenya.fake.wallets.chargesOf('+254710000001')).toMatchObject([{ provider: 'mpesa', amount: 150_000 }])
    const where: Where = { phoneNumber: '+2250700000000', operator: operator('mtn-ci'), currency: 'XOF' }
    const inFrancs = newOrder(where, toMoney(1_500))
    expect(await ivoryCoast.collections.submit(inFrancs)).toEqual({ kind: 'pending' })
    expect(ivoryCoast.fake.wallets.chargesOf('0700000000')).toMatchObject([{ provider: 'mtn', amount: 150_000 }])
  })

  it('has the proof of the operator, and what Paystack took for it', async () => {
    const order = newCollection()
    await ghana.collections.submit(order)
    expect(await ghana.collections.status(order)).toEqual({
      kind: 'succeeded',
      operatorReference: `R-${order.railReference}`,
      cost: 195n,
    })
  })

  it.each([
    ['Insufficient funds', 'INSUFFICIENT_FUNDS'],
    ['Transaction declined by the customer', 'PAYMENT_NOT_APPROVED'],
    ['Daily limit exceeded', 'LIMIT_EXCEEDED'],
    ['Unable to process', 'UNSPECIFIED_FAILURE'],
  ])('that failed with "%s" says %s', async (says, reason) => {
    const order = newCollection({ fate: 'refused', says })
    await ghana.collections.submit(order)
    expect(await ghana.collections.status(order)).toEqual({ kind: 'failed', reason })
  })

  it('without an approval has expired only when its own time is over', async () => {
    const order = { ...newCollection({ fate: 'open' }), expiresAtMs: clock.now() + 15 * minuteMs }
    await ghana.collections.submit(order)
    clock.advance(14 * minuteMs)
    // The process is suspended before it reads the answer, and the payer approves meanwhile.
    const asking = ghana.collections.status(order)
    clock.advance(minuteMs)
    expect(await asking).toEqual({ kind: 'pending' })
    expect(await ghana.collections.status(order)).toEqual({ kind: 'failed', reason: 'EXPIRED' })
  })

  it.each([400, 404])(
    'that Paystack does not know is absent, whether it says so with 400 or 404 (%d)',
    async (status) => {
      ghana.fake.wallets.missingStatus = status
      expect(await ghana.collections.status(newCollection())).toEqual({ kind: 'not-found' })
      ghana.fake.wallets.missingStatus = 404
    },
  )

  it('of another amount is unknown', async () => {
    const order = newCollection()
    await ghana.collections.submit(order)
    const other = { ...order, amount: toMoney(order.amount + 1n) }
    expect(await ghana.collections.status(other)).toMatchObject({ kind: 'unknown', why: 'mismatch' })
  })

  it('that wants a page is not taken for one that can be approved', async () => {
    const order = newCollection({ fate: 'open', answered: 'open_url' })
    expect(await ghana.collections.submit(order)).toMatchObject({ kind: 'unknown' })
  })
})

describe('a collection with a code', () => {
  const newCodeOrder = () => newCollection({ code: '123456' }, undefined, 'telecel-gh')

  it('waits for the code, refuses a wrong one, and is paid with the right one', async () => {
    const order = newCodeOrder()
    const { collections } = ghana
    const validMs = 180_000
    expect(collections.approval(order)).toEqual({ kind: 'otp', validMs })
    const waits = { kind: 'otp-required', expiresAtMs: order.submittedAtMs + validMs }
    expect(await collections.submit(order)).toEqual(waits)
    expect(await collections.status(order)).toEqual(waits)
    expect(await collections.submitOtp(order, '000000')).toEqual({ kind: 'wrong' })
    expect(await collections.submitOtp(order, '123456')).toEqual({ kind: 'accepted', state: { kind: 'pending' } })
    const accepted = { ...order, otpAcceptedAtMs: clock.now() }
    expect(await collections.status(accepted)).toMatchObject({ kind: 'succeeded' })
  })

  it.each(['never', 'page', 'cut-after'] as const)('says nothing of a code whose answer is lost (%s)', async (act) => {
    const order = newCodeOrder()
    await ghana.collections.submit(order)
    ghana.fake.wallets.script(national(order), { code: '123456', submit: [act] })
    expect(await ghana.collections.submitOtp(order, '123456')).toMatchObject({ kind: 'unknown' })
  })
})

it('reads a balance that refunds have overdrawn', async () => {
  ghana.fake.lists.held = -125_075n
  expect(await ghana.rail.float.balance()).toEqual({
    kind: 'known',
    wallets: [{ currency: 'GHS', amount: -125_075n }],
  })
  ghana.fake.lists.held = 5_000_000n
})

it('reads the balance of the currency of the account', async () => {
  expect(await ghana.rail.float.balance()).toEqual({
    kind: 'known',
    wallets: [{ currency: 'GHS', amount: 5_000_000n }],
  })
  expect(await ivoryCoast.rail.float.balance()).toEqual({
    kind: 'known',
    wallets: [{ currency: 'XOF', amount: 50_000n }],
  })
})

const told = { event: 'charge.success', data: { reference: 'ours', channel: 'mobile_money', status: 'success' } }
it('a notice of a collection asks for our payment, and says nothing else', async () => {
  const rawBody = Buffer.from(JSON.stringify(told))
  expect(await ghana.rail.inbound.read(rawBody)).toEqual({
    kind: 'notices',
    notices: [{ about: 'payment', railReference: 'ours', says: 'succeeded' }],
  })
})
