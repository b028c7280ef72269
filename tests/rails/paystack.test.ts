// Paystack's adapter against a fake that checks requests strictly and answers badly. Each title names what the fault
// would do to a careless adapter.

import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { toMoney } from '#platform/money.ts'
import { guardRail } from '#rails/breaker.ts'
import { createPaystack } from '#rails/paystack/paystack.ts'
import { bankFailureReasons, momoFailureReasons, type MomoOrder } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { paystackTestKey, startFakePaystack, type TransferScript } from '#tests/support/fakes/paystack.ts'
import { describeBankDirectory, describeInbound, describeSubmission, noticeAddress } from './conformance.ts'
import vectors from './fixtures/paystack-notices.json' with { type: 'json' }
import { bank, handsetOperator } from './orders.ts'
import { useProvider } from './provider.ts'

const clock = createFakeClock()
const paystack = await startFakePaystack(clock)
const { net, limits, orders, newOrder, newNumber, scenario } = useProvider<TransferScript>(paystack, clock)
const newRail = (secretKey = paystackTestKey) =>
  createPaystack({ name: 'paystack', secretKey, baseUrl: paystack.url, net, clock, limits })
const rail = newRail()

/** A refusal with a message that no document lists. Paystack makes the transfer all the same. */
const carriedOut = { message: 'We could not complete this transfer at the moment', done: true } as const
const minuteMs = 60_000

describeSubmission('Paystack transfer', {
  port: rail.payout,
  clock,
  reasons: bankFailureReasons,
  newOrder: (amount) => newOrder({}, amount),
  paymentsMade: (order) => paystack.transfersTo(order.accountNumber).length,
  amountArrived: ({ accountNumber }) =>
    toMoney(present(paystack.transfersTo(accountNumber)[0], 'the transfer arrived').amount),
  scenarios: [
    scenario('answered as it should be', 'paid', {}),
    scenario('failed', 'refused', { fate: 'failed', failures: 'Account is dormant' }),
    scenario('blocked', 'refused', { fate: 'blocked' }),
    scenario('never finished', 'open', { fate: 'pending' }),
    scenario('paid and sent back', 'returned', { fate: 'reversed' }),
    scenario('answered late', 'paid', { submit: ['late'] }),
    scenario('never answered', 'paid', { submit: ['never'], status: ['never'] }),
    scenario('answered twice', 'paid', { submit: ['twice'] }),
    scenario('answered with half a JSON text', 'paid', { submit: ['half'], status: ['half'] }),
    scenario('answered with a web page', 'paid', { submit: ['page'], status: ['page'] }),
    scenario('answered 500 but done', 'paid', { submit: ['error-done'], status: ['error-done'] }),
    scenario('cut off after it arrived', 'paid', { submit: ['cut-after'], status: ['cut-after'] }),
    scenario('called a duplicate although it was the first', 'paid', { submit: ['duplicate'] }),
    scenario('called a duplicate although it never came', 'lost', { submit: ['duplicate-untrue'] }),
    scenario('answered with a word that nobody knows', 'paid', { submit: ['odd-word'], status: ['odd-word'] }),
    scenario("answered with somebody else's transfer", 'refused', { fate: 'failed', submit: ['other-payment'] }),
    scenario('refused, but done', 'paid', { submit: [carriedOut] }),
    scenario('refused with a code, but done, and not shown at first', 'paid', {
      submit: [{ ...carriedOut, code: 'transfer_failed' }],
      hiddenMs: 14 * minuteMs,
    }),
    scenario('made and not shown at first', 'paid', { hiddenMs: 14 * minuteMs }),
    scenario('waiting for a one-time code', 'open', { fate: 'otp', answered: 'otp' }),
    scenario('not shown at first', 'paid', { submit: ['never'], status: ['missing', 'missing-page', 'missing'] }),
    scenario('asked about with a key that is refused', 'paid', { status: ['key-refused'] }),
    scenario('cut off before it was read', 'lost', { submit: ['cut-before'] }),
    scenario('answered 503 and not done', 'lost', { submit: ['error-not-done'] }),
    scenario('redirected', 'lost', { submit: ['redirect'] }),
    scenario('answered by a gateway', 'lost', { submit: ['gateway-page'] }),
  ],
})

it('a question that a rate limit put off says when there is room, and is no fault of the provider', async () => {
  const guarded = guardRail(newRail(), clock)
  const asked = Array.from({ length: 300 }, () => newOrder({}))
  const port = present(guarded.rail.payout, 'the rail pays out')
  // Some calls wait for their turn, so the clock must go on.
  const passing = setInterval(() => clock.advance(100), 10)
  const answers = await Promise.all(asked.map((order) => port.status(order)))
  clearInterval(passing)
  const limited = answers.filter(({ kind }) => kind === 'unknown')
  expect(limited.length).toBeGreaterThan(20)
  for (const answer of limited)
    expect(answer).toEqual({ kind: 'unknown', detail: 'our own limit of calls', askAgainAfterMs: expect.any(Number) })
  expect(guarded.state('payout')).toBe('closed')
  clock.advance(minuteMs)
})

describe('a transfer that certainly did not leave', () => {
  it.each([
    [
      'an empty balance, which is for an operator to fill',
      { submit: ['no-money'] },
      { why: 'float', askAgainAfterMs: 60_000 },
    ],
    ['too many calls', { submit: ['too-many'] }, { askAgainAfterMs: 2_000 }],
    ['too many calls, without a word how long', { submit: ['too-many-silent'] }, { askAgainAfterMs: 10_000 }],
    ['a key that is refused', { submit: ['key-refused'] }, { why: 'misconfigured', askAgainAfterMs: 60_000 }],
    ['a recipient that could not be made', { recipient: ['cut-after'] }, {}],
    ['a recipient about which nothing was heard', { recipient: ['error-done'] }, {}],
  ] as const)('%s', async (_, script, expected) => {
    const order = newOrder(script as unknown as TransferScript)
    expect(await newRail().payout.submit(order)).toMatchObject({ kind: 'unknown', sent: false, ...expected })
    expect(paystack.transfersTo(order.accountNumber)).toEqual([])
  })

  it('is an account that does not exist, and there the payment has failed', async () => {
    clock.advance(60_000)
    const failed = { kind: 'failed', created: false }
    expect(await rail.payout.submit(orders.payout('0000000404'))).toEqual({ ...failed, reason: 'INVALID_ACCOUNT' })
    const elsewhere = { ...orders.payout('1234567890'), bank: { ...bank, code: '999' } }
    expect(await rail.payout.submit(elsewhere)).toEqual({ ...failed, reason: 'BANK_NOT_FOUND' })
  })
})

describe('a refusal of a transfer', () => {
  const asked = async (script: TransferScript) => {
    const order = newOrder(script)
    const state = await newRail().payout.submit(order)
    return { state, made: paystack.transfersTo(order.accountNumber).length }
  }

  it.each([
    ['another sentence', { message: 'We could not complete this transfer at the moment' }],
    ['another sentence with a code', { message: 'Something is odd', code: 'validation_failed' }],
    ['an unknown transfer', { message: 'Not found', code: 'not_found', status: 404 }],
  ])(
    'in words that no document lists (%s) proves nothing, and is not asked about in the same breath',
    async (_, refused) => {
      const { state } = await asked({ submit: [refused] })
      expect(state).toEqual({
        kind: 'unknown',
        why: 'refused',
        detail: expect.stringMatching(/^transfer: refused with 4/),
      })
    },
  )

  it('for an account on a watchlist fails it for that reason', async () => {
    const message = 'The account number of the recipient is on a fraud watchlist'
    const refused = { kind: 'failed', reason: 'SUSPECTED_FRAUD', created: false }
    expect(await asked({ submit: [{ message }] })).toEqual({ state: refused, made: 0 })
    expect(await asked({ recipient: [{ message }] })).toEqual({ state: refused, made: 0 })
  })

  it.each([
    'You cannot initiate third party payouts at this time',
    'You cannot initiate third party payouts as a starter business',
    'Transfers are not enabled for your business',
    'The Transfers product is only available to Registered Paystack businesses',
    'Your IP address is not allowed to make this call',
  ])('for our account is for an operator to see to: %s', async (message) => {
    const refused = { kind: 'unknown', sent: false, why: 'misconfigured' }
    expect(await asked({ submit: [{ message, code: 'invalid_params' }] })).toMatchObject({ state: refused, made: 0 })
    expect(await asked({ recipient: [{ message }] })).toMatchObject({ state: refused, made: 0 })
  })

  it('for the limit of a day waits like an empty balance: it passes by itself, and another amount may have room', async () => {
    const message = 'You have exceeded your daily transfer limit'
    expect((await asked({ submit: [{ message }] })).state).toMatchObject({ kind: 'unknown', sent: false, why: 'float' })
  })

  it('because it has the reference says that the transfer is there', async () => {
    const pending = { kind: 'pending', askAgainAfterMs: 0, exists: true }
    expect((await asked({ submit: ['duplicate'] })).state).toEqual(pending)
    expect((await asked({ submit: ['duplicate-untrue'] })).state).toEqual(pending)
  })
})

describe('a one-time code', () => {
  it('is for an operator to switch off, and the transfer is there, so it is not sent again', async () => {
    const order = newOrder({ fate: 'otp', answered: 'otp' })
    const state = await newRail().payout.submit(order)
    expect(state).toEqual({
      kind: 'unknown',
      why: 'misconfigured',
      detail: expect.stringMatching(/one-time codes .* off/),
    })
    // A transfer that was made before the switch says nothing about transfers after it.
    expect(await rail.payout.status(order)).toEqual({ kind: 'pending' })
  })
})

describe('recipients', () => {
  it('are made once for an account, and again when Paystack has forgotten them', async () => {
    const own = newRail()
    const first = newOrder({})
    const before = paystack.recipientsMade()
    await own.payout.submit(first)
    await own.payout.submit(orders.payout(first.accountNumber))
    expect(paystack.recipientsMade() - before).toBe(1)
    paystack.forgetRecipients()
    expect(await own.payout.submit(orders.payout(first.accountNumber))).toEqual({ kind: 'pending' })
    expect(paystack.recipientsMade() - before).toBe(2)
  })

  it('that are made again and called invalid again fail no payment', async () => {
    const invalid = { message: 'Recipient specified is invalid', code: 'invalid_transfer_recipient' }
    const state = await newRail().payout.submit(newOrder({ submit: [invalid, invalid] }))
    expect(state).toMatchObject({ kind: 'unknown', why: 'refused' })
  })

  it.each([
    ['at another bank', { bank_code: '999992' }],
    ['with another number', { account_number: '9999999999' }],
  ])('%s are not paid, and not kept', async (_, recipientShown) => {
    const own = newRail()
    const order = newOrder({ recipientShown })
    expect(await own.payout.submit(order)).toMatchObject({ kind: 'unknown', sent: false })
    expect(paystack.transfersTo(order.accountNumber)).toEqual([])
    paystack.script(order.accountNumber, {})
    expect(await own.payout.submit(order)).toEqual({ kind: 'pending' })
  })

  it('that Paystack refuses in words of its own cost no payment', async () => {
    const own = newRail()
    const order = newOrder({ recipient: [{ message: 'Something is odd' }] })
    expect(await own.payout.submit(order)).toMatchObject({ kind: 'unknown', sent: false, why: 'refused' })
    expect(await own.payout.submit(order)).toEqual({ kind: 'pending' })
  })
})

describe('status', () => {
  it('says not-found of what the provider does not know now, and leaves to the caller what follows', async () => {
    const order = newOrder({ submit: ['cut-before'] })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toEqual({ kind: 'not-found' })
  })

  it.each([
    ['at another bank', { bank_code: '999992' }],
    ['with another number', { account_number: '9999999999' }],
  ])('does not believe what became of a transfer to an account %s', async (_, destinationShown) => {
    for (const fate of ['success', 'failed', 'reversed'] as const) {
      const order = newOrder({ fate, destinationShown })
      await rail.payout.submit(order)
      const detail = expect.stringContaining('another')
      expect(await rail.payout.status(order)).toEqual({ kind: 'unknown', why: 'mismatch', detail })
    }
  })

  it.each([
    ['Account is dormant', 'DORMANT_ACCOUNT'],
    ['Unable to reach ADA LIMITED', 'PROVIDER_ERROR'],
    ['Transfer limit exceeded', 'LIMIT_EXCEEDED'],
    ['Post no credit', 'ACCOUNT_RESTRICTED'],
    ['The bank said something new', 'PROVIDER_ERROR'],
  ])('reads from %j why it failed', async (failures, reason) => {
    const order = newOrder({ fate: 'failed', failures })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toEqual({ kind: 'failed', reason })
  })
})

describe('wallets', () => {
  const wallet = (): MomoOrder => {
    clock.advance(60_000)
    const phoneNumber = `+234${newNumber()}`
    return { ...orders.collection(phoneNumber, handsetOperator), accountName: 'ADA OBI' }
  }

  it('are paid as the bank that each is, under the number of the phone', async () => {
    const order = wallet()
    expect(await rail.momoPayout.submit(order)).toEqual({ kind: 'pending' })
    expect(paystack.transfersTo(order.phoneNumber.slice(4))).toHaveLength(1)
    expect(await rail.momoPayout.status(order)).toEqual({ kind: 'succeeded', operatorReference: '9'.repeat(30) })
  })

  it('fail in the words of mobile money', async () => {
    const order = wallet()
    paystack.script(order.phoneNumber.slice(4), { fate: 'failed', failures: 'Invalid destination account' })
    await rail.momoPayout.submit(order)
    const state = await rail.momoPayout.status(order)
    expect(state).toEqual({ kind: 'failed', reason: 'RECIPIENT_NOT_FOUND' })
    expect(momoFailureReasons).toContain(state.kind === 'failed' ? state.reason : '')
  })

  it('that are refused for the payee’s fault are left to no other rail', async () => {
    const order = wallet()
    const message = 'The account number of the recipient is on a fraud watchlist'
    paystack.script(order.phoneNumber.slice(4), { submit: [{ message }] })
    // The answer has no `created: false`, which would allow another rail to pay it.
    expect(await rail.momoPayout.submit(order)).toEqual({ kind: 'failed', reason: 'UNSPECIFIED_FAILURE' })
  })

  it('of an operator without a code are not paid', async () => {
    const order = { ...wallet(), operator: { ...handsetOperator, providerCodes: {} } }
    expect(await rail.momoPayout.submit(order)).toEqual({
      kind: 'failed',
      reason: 'OPERATOR_UNAVAILABLE',
      created: false,
    })
  })
})

const question = (accountNumber: string) => ({ bank, accountNumber })
describeBankDirectory('Paystack', {
  directory: rail.bankDirectory,
  known: question('0123456789'),
  missing: question('0000000404'),
  silent: ['0000000500', '0000000600', '0000000700'].map(question),
})

it('names the holder of a wallet', async () => {
  const found = await rail.momoDirectory.lookUp({ operator: handsetOperator, phoneNumber: '+2348031234567' })
  expect(found).toEqual({ kind: 'resolved', accountName: 'KAROKART / RHODA CHURCH' })
})

it('reads the balance', async () => {
  expect(await rail.float.balance()).toEqual({
    kind: 'known',
    wallets: [{ currency: 'NGN', amount: 5_000_000n }],
  })
})

paystack.pay({ reference: 'T1', id: '9007199254740993', amount: 2_147_483_648, accountNumber: '8000000001' })
const charge = (reference: string, channel = 'dedicated_nuban') =>
  JSON.stringify({ event: 'charge.success', data: { id: 1, reference, amount: 1, channel } })

describeInbound('Paystack', {
  inbound: rail.inbound,
  genuine: paystack.sign(charge('T1')),
  signedNonsense: paystack.sign('{"amount":1}'),
})

describe('notices', () => {
  const read = (body: string) => rail.inbound.read(Buffer.from(body))
  const genuine = createPaystack({ name: 'paystack', secretKey: vectors.key, net, clock }).inbound

  it.each(vectors.genuine)('$name: genuine', ({ body, signature }) => {
    expect(genuine.verify({ 'x-paystack-signature': signature }, Buffer.from(body), noticeAddress)).toBe('genuine')
  })

  it.each(vectors.refused)('$name: forged', ({ body, signature }) => {
    expect(genuine.verify({ 'x-paystack-signature': signature }, Buffer.from(body), noticeAddress)).toBe('forged')
  })

  it('take the amount, id and account of a deposit from the transaction that Paystack returns', async () => {
    expect(await read(charge('T1'))).toEqual({
      kind: 'notices',
      notices: [
        {
          about: 'deposit',
          deposit: expect.objectContaining({
            providerId: '9007199254740993',
            amount: 2_147_483_648n,
            account: { number: '8000000001' },
          }),
        },
      ],
    })
  })

  it('of a deposit whose account stands in the metadata alone are read', async () => {
    paystack.pay({ reference: 'T4', id: '4', amount: 100, accountNumber: '8000000004', isInMetadata: true })
    expect(await read(charge('T4'))).toMatchObject({ notices: [{ deposit: { account: { number: '8000000004' } } }] })
  })

  it.each([
    ['0b54a5f5-3d2c-4d0b-9c2f-2f0e6c1d7a10@pay.example.com', '0b54a5f5-3d2c-4d0b-9c2f-2f0e6c1d7a10'],
    ['0b54a5f5-3d2c-4d0b-9c2f-2f0e6c1d7a10-2@pay.example.com', '0b54a5f5-3d2c-4d0b-9c2f-2f0e6c1d7a10-2'],
  ])(
    'of a deposit whose account is missing carry our reference in the email of its customer',
    async (email, reference) => {
      paystack.pay({ reference: 'T6', id: '6', amount: 100, customerEmail: email })
      expect(await read(charge('T6'))).toMatchObject({
        notices: [{ about: 'deposit', deposit: { account: { railReference: reference }, amount: 100n } }],
      })
    },
  )

  it('of a deposit whose account is missing are for later if its customer is not one of ours', async () => {
    paystack.pay({ reference: 'T7', id: '7', amount: 100, customerEmail: 'ada@example.com' })
    expect(await read(charge('T7'))).toMatchObject({ kind: 'unavailable' })
  })

  it('of a deposit that cannot be confirmed are for later', async () => {
    expect(await read(charge('T-unknown'))).toMatchObject({ kind: 'unavailable' })
  })

  it('of a charge that did not succeed credit nothing', async () => {
    paystack.pay({ reference: 'T2', id: '2', amount: 100, accountNumber: '8000000001', status: 'failed' })
    expect(await read(charge('T2'))).toMatchObject({ notices: [{ about: 'other' }] })
  })

  it.each(['abandoned', 'ongoing', 'pending'])('are for later while Paystack still calls it %s', async (status) => {
    paystack.pay({ reference: 'T3', id: '3', amount: 100, accountNumber: '8000000001', status })
    expect(await read(charge('T3'))).toMatchObject({ kind: 'unavailable' })
  })

  it('of money for a charge name no account, so they carry our reference', async () => {
    paystack.pay({ reference: 'our-reference', id: '4', amount: 250_000 })
    expect(await read(charge('our-reference', 'bank_transfer'))).toMatchObject({
      notices: [{ about: 'deposit', deposit: { account: { railReference: 'our-reference' }, amount: 250_000n } }],
    })
  })

  it.each([
    ['transfer.success', 'succeeded'],
    ['transfer.failed', 'failed'],
    ['transfer.reversed', 'reversed'],
  ])('%s is a reason to ask', async (event, says) => {
    const body = JSON.stringify({ event, data: { reference: 'our-reference', status: 'success' } })
    expect(await read(body)).toEqual({
      kind: 'notices',
      notices: [{ about: 'payment', railReference: 'our-reference', says }],
    })
  })

  it.each([
    ['refund.processed', {}],
    ['refund.failed', { says: 'failed' }],
    ['refund.needs-attention', { says: 'needs-attention' }],
  ])('%s names the money by its id, which is read', async (event, says) => {
    const about = (reference: string) =>
      JSON.stringify({ event, data: { transaction_reference: reference, amount: '1' } })
    paystack.pay({
      reference: 'T5',
      id: '90000000000000005',
      amount: 100,
      accountNumber: '8000000001',
      status: 'reversed',
    })
    const notices = [{ about: 'refund', provider: 'paystack', providerId: '90000000000000005', ...says }]
    expect(await read(about('T5'))).toEqual({ kind: 'notices', notices })
    expect(await read(about('T-unknown'))).toMatchObject({ kind: 'unavailable' })
    expect(await read(JSON.stringify({ event, data: {} }))).toEqual({ kind: 'unreadable' })
  })

  it('of other kinds are stored under their names', async () => {
    const other = { kind: 'notices', notices: [{ about: 'other', name: 'bank.transfer.rejected' }] }
    expect(await read('{"event":"bank.transfer.rejected","data":{}}')).toEqual(other)
    // Every object has a property of this name.
    expect(await read('{"event":"constructor","data":{}}')).toMatchObject({ notices: [{ name: 'constructor' }] })
    expect(await read(charge('T1', 'card'))).toMatchObject({ notices: [{ about: 'other' }] })
  })
})
