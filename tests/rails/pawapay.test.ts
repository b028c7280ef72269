// pawaPay's adapter against a fake that is as strict as its documents.

import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { toMoney, type Money } from '#platform/money.ts'
import { amountIn } from '#rails/pawapay/answers.ts'
import { createPawapay } from '#rails/pawapay/pawapay.ts'
import { momoFailureReasons, type CollectionOrder, type MomoOrder } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { pawapayToken, startFakePawapay, type PawapayScript } from '#tests/support/fakes/pawapay.ts'
import { describeSubmission, type Fate } from './conformance.ts'
import { burkina, createWalletOrders, ghana, walletOperator } from './pawapay-orders.ts'
import { useFake } from './provider.ts'

const clock = createFakeClock()
const fake = await startFakePawapay(clock)
const { net, orders } = useFake(fake, clock)
const wallets = createWalletOrders(orders)
const limits = { submitMs: 1_000, readMs: 1_000 }
const options = { name: 'pawapay', apiToken: pawapayToken, callbacks: 'signed' as const, baseUrl: fake.url }
const { momoPayout: payouts, momoCollection: collections } = createPawapay({ ...options, net, clock, limits })

function scripted<Order extends MomoOrder>(order: Order, script: PawapayScript): Order {
  fake.script(order.phoneNumber, script)
  // Each order has a minute of calls to itself.
  clock.advance(60_000)
  return { ...order, submittedAtMs: clock.now() }
}
const newPayout = (script: PawapayScript = {}, amount?: Money): MomoOrder =>
  scripted(wallets.payout(ghana, amount), script)
const newCollection = (script: PawapayScript = {}, amount?: Money): CollectionOrder =>
  scripted(wallets.collection(ghana, amount), script)
const newCodeOrder = (script: PawapayScript = {}): CollectionOrder =>
  scripted(wallets.collection(burkina, toMoney(1_500)), script)

const made = ({ phoneNumber }: MomoOrder) => fake.paymentsOf(phoneNumber)
const arrived = (order: MomoOrder): Money =>
  present(amountIn(present(made(order)[0], 'it arrived').amount, order.currency), 'its amount can be read')

const scenarios: [string, Fate, PawapayScript][] = [
  ['done as it should be', 'paid', {}],
  ['failed by the operator', 'refused', { fate: 'WALLET_LIMIT_REACHED' }],
  ['never finished', 'open', { fate: 'stuck' }],
  ['failed for a reason that pawaPay does not know yet', 'open', { fate: 'UNKNOWN_ERROR' }],
  ['in reconciliation for a while', 'paid', { words: ['ACCEPTED', 'IN_RECONCILIATION', 'IN_RECONCILIATION'] }],
  ['answered late', 'paid', { submit: ['never'] }],
  [
    'answered 500 with UNKNOWN_ERROR, but done',
    'paid',
    { submit: [{ code: 'UNKNOWN_ERROR', status: 500, done: true }] },
  ],
  ['answered with half a JSON text', 'paid', { submit: ['half'], status: ['half'] }],
  ['answered with a web page', 'paid', { submit: ['page'], status: ['maintenance-page'] }],
  ['cut off after it arrived', 'paid', { submit: ['cut-after'], status: ['cut-before'] }],
  ['answered DUPLICATE_IGNORED', 'paid', { submit: ['duplicate'] }],
  ['answered with a word that nobody knows', 'paid', { submit: ['odd-word'], status: ['odd-word'] }],
  ['called NOT_FOUND before it is COMPLETED', 'paid', { submit: ['cut-after'], hiddenMs: 30_000 }],
  ['answered twice on one connection', 'paid', { submit: ['twice'] }],
  ['answered with less than it announces', 'paid', { submit: ['wrong-length'], status: ['wrong-length'] }],
  ['answered 500, but done', 'paid', { submit: ['error-done'] }],
  [
    'asked about in vain',
    'paid',
    { status: ['too-many', 'too-many-silent', 'redirect', 'gateway-page', 'forbidden-page'] },
  ],
  ['answered 429 before it was read', 'lost', { submit: ['too-many'] }],
  ['sent elsewhere', 'lost', { submit: ['redirect'] }],
  ['cut off before it was read', 'lost', { submit: ['cut-before'] }],
]
const common = {
  clock,
  reasons: momoFailureReasons,
  amountArrived: arrived,
  paymentsMade: (order: MomoOrder) => made(order).length,
}

describeSubmission('pawaPay payout', {
  ...common,
  port: payouts,
  newOrder: (amount) => newPayout({}, amount),
  scenarios: scenarios.map(([title, fate, script]) => ({ title, fate, newOrder: () => newPayout(script) })),
})
describeSubmission('pawaPay collection', {
  ...common,
  port: collections,
  newOrder: (amount) => newCollection({}, amount),
  scenarios: scenarios.map(([title, fate, script]) => ({ title, fate, newOrder: () => newCollection(script) })),
})

describe('a submission', () => {
  it.each([
    [toMoney(150_000), ghana, '1500'],
    [toMoney(150_050), ghana, '1500.5'],
    [toMoney(5), ghana, '0.05'],
    [toMoney(1_500), walletOperator('mtn-ci', 'MTN_MOMO_CIV'), '1500'],
    [toMoney(1), walletOperator('airtel-ug', 'AIRTEL_OAPI_UGA'), '1'],
  ])('sends %d minor units at %o as the text %s', async (amount, operator, text) => {
    const order = scripted(wallets.payout(operator, amount), {})
    expect(await payouts.submit(order)).toEqual({ kind: 'pending' })
    expect(made(order)).toMatchObject([{ amount: text, id: order.railReference }])
  })

  it.each([
    ['mtn-rw', 'MTN_MOMO_RWA', toMoney(1_500), '1500'],
    ['mtn-cm', 'MTN_MOMO_CMR', toMoney(25_000), '25000'],
    ['mtn-ci', 'MTN_MOMO_CIV', toMoney(10), '10'],
  ])('in whole units at %s is paid and collected by its status', async (slug, provider, amount, text) => {
    const operator = walletOperator(slug, provider)
    const payout = scripted(wallets.payout(operator, amount), {})
    const collection = scripted(wallets.collection(operator, amount), {})
    expect(await payouts.submit(payout)).toEqual({ kind: 'pending' })
    expect(await collections.submit(collection)).toEqual({ kind: 'pending' })
    for (const order of [payout, collection]) expect(made(order)).toMatchObject([{ amount: text, provider }])
    clock.advance(10_000)
    expect(await payouts.status(payout)).toMatchObject({ kind: 'succeeded' })
    expect(await collections.status(collection)).toMatchObject({ kind: 'succeeded' })
    const another = { ...collection, amount: toMoney(amount * 100n) }
    expect(await collections.status(another)).toMatchObject({ kind: 'unknown', why: 'mismatch' })
  })

  it.each([
    ['Invoice 881', 'Invoice 881'],
    ['Ẹ kú iṣẹ́! #12', 'E ku ise 12'],
    ['a message of more than twenty-two letters', 'a message of more than'],
    ['ok', undefined],
    [null, undefined],
  ])('shows the wallet %o as %o', async (narration, message) => {
    const order = { ...newPayout(), narration }
    await payouts.submit(order)
    expect(made(order)).toMatchObject([{ message }])
  })

  const refused = { kind: 'unknown', why: 'refused' }
  const ofUs = { kind: 'unknown', why: 'misconfigured', sent: false }
  it.each([
    ['INVALID_PHONE_NUMBER', 200, { kind: 'failed', reason: 'RECIPIENT_NOT_FOUND', created: false }],
    ['AMOUNT_OUT_OF_BOUNDS', 200, { kind: 'failed', reason: 'LIMIT_EXCEEDED', created: false }],
    ['PROVIDER_TEMPORARILY_UNAVAILABLE', 200, { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE', created: false }],
    ['PAWAPAY_WALLET_OUT_OF_FUNDS', 200, { kind: 'unknown', why: 'float', sent: false }],
    ['INVALID_AMOUNT', 200, refused],
    ['A_NEW_CODE', 200, refused],
    ['INVALID_PROVIDER', 200, ofUs],
    ['INVALID_CURRENCY', 200, ofUs],
    ['INVALID_INPUT', 400, refused],
    ['MISSING_PARAMETER', 400, refused],
    ['UNSUPPORTED_PARAMETER', 400, refused],
    ['INVALID_PARAMETER', 400, refused],
    ['DUPLICATE_METADATA_FIELD', 400, refused],
    ['NO_AUTHENTICATION', 401, ofUs],
    ['AUTHENTICATION_ERROR', 403, ofUs],
    ['AUTHORISATION_ERROR', 403, ofUs],
    ['HTTP_SIGNATURE_ERROR', 403, ofUs],
    ['HTTP_SIGNATURE_ERROR', 401, ofUs],
    ['PAYOUTS_NOT_ALLOWED', 403, ofUs],
    ['UNKNOWN_ERROR', 500, { kind: 'unknown' }],
  ])('that is refused with %s (%d)', async (code, status, expected) => {
    const order = newPayout({ submit: [{ code, status }] })
    expect(await payouts.submit(order)).toMatchObject(expected)
    expect(made(order)).toEqual([])
  })

  it.each([
    ['INVALID_PHONE_NUMBER', { kind: 'failed', reason: 'PAYER_NOT_FOUND' }],
    ['AMOUNT_OUT_OF_BOUNDS', { kind: 'failed', reason: 'LIMIT_EXCEEDED' }],
    ['PROVIDER_TEMPORARILY_UNAVAILABLE', { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE' }],
  ])('of a collection that is refused with %s has failed', async (code, expected) => {
    expect(await collections.submit(newCollection({ submit: [{ code }] }))).toEqual(expected)
  })

  it('that exists already is asked about, and is never sent under another id', async () => {
    const order = newPayout({ submit: ['duplicate-untrue'] })
    expect(await payouts.submit(order)).toEqual({ kind: 'pending', askAgainAfterMs: 0, exists: true })
    expect(await payouts.status(order)).toEqual({ kind: 'not-found' })
  })

  it('leaves nothing once its lease is over', async () => {
    const order = { ...newPayout(), leaveBeforeMs: clock.monotonicMs() }
    expect(await payouts.submit(order)).toMatchObject({ kind: 'unknown', sent: false })
    expect(made(order)).toEqual([])
  })

  it('to an operator that pawaPay does not have makes nothing, so that another rail may have it', async () => {
    const order = { ...newPayout(), operator: { ...ghana, providerCodes: {} } }
    expect(await payouts.submit(order)).toEqual({ kind: 'failed', reason: 'OPERATOR_UNAVAILABLE', created: false })
    expect(await collections.submit({ ...newCollection(), operator: order.operator })).toEqual({
      kind: 'failed',
      reason: 'OPERATOR_UNAVAILABLE',
    })
  })
})

it('a payout that waits in the queue of pawaPay can be cancelled, and another one cannot', async () => {
  const order = newPayout({ fate: 'stuck', words: ['ENQUEUED'] })
  expect(await payouts.cancel?.(order.railReference)).toEqual({ kind: 'refused', why: 'NOT_FOUND' })
  await payouts.submit(order)
  fake.meet(/fail-enqueued/, 'error-not-done')
  expect(await payouts.cancel?.(order.railReference)).toMatchObject({ kind: 'unavailable' })
  expect(await payouts.cancel?.(order.railReference)).toEqual({ kind: 'accepted' })
  expect(await payouts.status(order)).toEqual({ kind: 'failed', reason: 'UNSPECIFIED_FAILURE' })
  expect(await payouts.cancel?.(order.railReference)).toEqual({ kind: 'refused', why: 'INVALID_STATE' })
})

describe('a status', () => {
  it.each([
    ['PAYMENT_NOT_APPROVED', 'PAYMENT_NOT_APPROVED'],
    ['INSUFFICIENT_BALANCE', 'INSUFFICIENT_FUNDS'],
    ['PAYMENT_IN_PROGRESS', 'OPERATOR_UNAVAILABLE'],
    ['TRANSACTION_ALREADY_IN_PROCESS', 'OPERATOR_UNAVAILABLE'],
    ['PAYER_NOT_FOUND', 'PAYER_NOT_FOUND'],
    ['RECIPIENT_NOT_FOUND', 'RECIPIENT_NOT_FOUND'],
    ['PAYER_LIMIT_REACHED', 'LIMIT_EXCEEDED'],
    ['RECIPIENT_LIMIT_REACHED', 'LIMIT_EXCEEDED'],
    ['WALLET_LIMIT_REACHED', 'WALLET_LIMIT_REACHED'],
    ['PAWAPAY_WALLET_OUT_OF_FUNDS', 'OPERATOR_UNAVAILABLE'],
    ['MANUALLY_CANCELLED', 'UNSPECIFIED_FAILURE'],
    ['UNSPECIFIED_FAILURE', 'UNSPECIFIED_FAILURE'],
    ['A_NEW_CODE', 'UNSPECIFIED_FAILURE'],
  ])('FAILED with %s is %s', async (fate, reason) => {
    const order = newCollection({ fate, words: [] })
    await collections.submit(order)
    expect(await collections.status(order)).toEqual({ kind: 'failed', reason })
  })

  it('COMPLETED has the number of the payment at the operator', async () => {
    const order = newPayout({ words: [] })
    await payouts.submit(order)
    const operatorReference = `OP${order.railReference.slice(0, 8).toUpperCase()}`
    expect(await payouts.status(order)).toEqual({ kind: 'succeeded', operatorReference })
  })

  it('of another amount, currency or wallet under our id has a person look at it', async () => {
    const order = newPayout({ words: [], numberShown: '233000000000' })
    await payouts.submit(order)
    expect(await payouts.status(order)).toMatchObject({ kind: 'unknown', why: 'mismatch' })
    fake.script(order.phoneNumber, { words: [] })
    for (const other of [{ amount: toMoney(1) }, { currency: 'USD' as const }, { operator: burkina }])
      expect(await payouts.status({ ...order, ...other })).toMatchObject({ kind: 'unknown', why: 'mismatch' })
    expect(await payouts.status(order)).toMatchObject({ kind: 'succeeded' })
  })
})

describe('a collection whose payer makes a code first', () => {
  const code = '123456'

  it('sends nothing before the code is here, and then all of it at once', async () => {
    const order = newCodeOrder()
    expect(collections.approval(order)).toEqual({ kind: 'otp', validMs: 600_000 })
    const waits = { kind: 'otp-required', expiresAtMs: order.submittedAtMs + 600_000 }
    expect(await collections.submit(order)).toEqual(waits)
    expect(await collections.status(order)).toEqual(waits)
    expect(made(order)).toEqual([])
    expect(await collections.submitOtp(order, code)).toEqual({ kind: 'accepted', state: { kind: 'pending' } })
    expect(made(order)).toMatchObject([{ code, amount: '1500' }])
    clock.advance(10_000)
    const accepted = { ...order, otpAcceptedAtMs: clock.now() }
    expect(await collections.status(accepted)).toMatchObject({ kind: 'succeeded' })
  })

  it.each(['never', 'cut-after', 'error-done'] as const)(
    'is found by its id when the answer to the code is lost (%s), and a second code starts no second payment',
    async (act) => {
      const order = newCodeOrder({ submit: [act] })
      expect(await collections.submitOtp(order, code)).toMatchObject({ kind: 'unknown' })
      expect(await collections.status(order)).toMatchObject({ kind: 'pending' })
      expect(await collections.submitOtp(order, '654321')).toMatchObject({ kind: 'accepted' })
      expect(made(order)).toMatchObject([{ code }])
    },
  )

  it('is refused by its code at once', async () => {
    const order = newCodeOrder({ submit: [{ code: 'INVALID_PHONE_NUMBER' }] })
    const state = { kind: 'failed', reason: 'PAYER_NOT_FOUND' }
    expect(await collections.submitOtp(order, code)).toEqual({ kind: 'accepted', state })
  })

  it('sends no code after its time, also if the process stood still meanwhile', async () => {
    const order = newCodeOrder()
    const answer = collections.submitOtp(order, code)
    clock.advance(10 * 60_000)
    expect(await answer).toMatchObject({ kind: 'unknown' })
    expect(made(order)).toEqual([])
  })

  it('waits for no code after its time, and then only its absence ends it', async () => {
    const order = newCodeOrder()
    clock.advance(600_000)
    expect(await collections.submitOtp(order, code)).toEqual({ kind: 'expired' })
    expect(await collections.status(order)).toEqual({ kind: 'not-found' })
  })

  it('is not sent again without the code when pawaPay does not show it', async () => {
    const order = { ...newCodeOrder(), otpAcceptedAtMs: clock.now() }
    expect(await collections.submit(order)).toMatchObject({ kind: 'unknown' })
    expect(await collections.status(order)).toEqual({ kind: 'not-found' })
    expect(made(order)).toEqual([])
  })

  it('is not what a payer on the handset waits for', async () => {
    expect(collections.approval(newCollection())).toEqual({ kind: 'handset' })
    expect(await collections.submitOtp(newCollection(), code)).toEqual({ kind: 'not-waiting' })
  })
})

it('serves the operators that pawaPay has, but for collections that need a page', () => {
  const [wave, unknown] = [walletOperator('wave-ci', 'WAVE_CIV'), { ...ghana, providerCodes: {} }]
  expect([ghana, burkina, wave, unknown].map((one) => payouts.serves?.(one))).toEqual([true, true, true, false])
  expect([ghana, burkina, wave, unknown].map((one) => collections.serves?.(one))).toEqual([true, true, false, false])
})

it('a collection that needs a page of the operator is not begun', async () => {
  const order = scripted(wallets.collection(walletOperator('wave-ci', 'WAVE_CIV'), toMoney(1_500)), {})
  expect(await collections.submit(order)).toEqual({ kind: 'failed', reason: 'OPERATOR_UNAVAILABLE' })
  expect(made(order)).toEqual([])
})

it('requests that move money are signed when a key is set, and refused without one when pawaPay demands it', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const strict = await startFakePawapay(clock)
  const at = { ...options, net, clock, limits, baseUrl: strict.url }
  const signing = { keyId: 'manilla', privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
  strict.demandSignatures(publicKey.export({ type: 'spki', format: 'pem' }) as string)
  const [signed, unsigned] = [createPawapay({ ...at, signing }), createPawapay(at)]
  expect(await signed.momoPayout.submit(newPayout())).toEqual({ kind: 'pending' })
  expect(await signed.momoCollection.submit(newCollection())).toEqual({ kind: 'pending' })
  expect(await unsigned.momoPayout.submit(newPayout())).toMatchObject({ kind: 'unknown', why: 'misconfigured' })
  expect(strict.faults).toEqual([])
  await strict.close()
})
