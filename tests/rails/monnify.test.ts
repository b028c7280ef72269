// Monnify's adapter against a fake that checks requests strictly and answers badly. Each title names what the fault
// would do to a careless adapter.

import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import type { Net } from '#platform/http-client/client.ts'
import { toMoney } from '#platform/money.ts'
import { listBanks } from '#directory/banks.ts'
import { createRail } from '#rails/rails-file.ts'
import { guardRail } from '#rails/breaker.ts'
import { bankCodeOf } from '#rails/monnify/directory.ts'
import codes from '#rails/monnify/bank-codes.json' with { type: 'json' }
import { createMonnify } from '#rails/monnify/monnify.ts'
import { koboOf } from '#rails/formats.ts'
import { bankFailureReasons } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyKeys, startFakeMonnify, type MonnifyScript } from '#tests/support/fakes/monnify.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { describeBankDirectory, describeSubmission } from './conformance.ts'
import { bank } from './orders.ts'
import { useProvider } from './provider.ts'

const clock = createFakeClock()
const monnify = await startFakeMonnify(clock)
const { net, limits, newOrder, scenario } = useProvider<MonnifyScript>(monnify, clock)
const options = {
  name: 'monnify',
  ...monnifyKeys,
  contractCode: '7059707855',
  baseUrl: monnify.url,
  net,
  clock,
  limits,
}
const newRail = (secretKey = monnifyKeys.secretKey) => createMonnify({ ...options, secretKey, trust: 'signed' })
const rail = newRail()

const minuteMs = 60_000
const carriedOut = { code: 'D99', message: 'Something is odd', done: true } as const
const mayPass = { fate: 'FAILED', description: 'Timed out while waiting for destination bank' }

describeSubmission('Monnify transfer', {
  port: rail.payout,
  clock,
  reasons: bankFailureReasons,
  newOrder: (amount) => newOrder({}, amount),
  paymentsMade: (order) => monnify.transfersTo(order.accountNumber).length,
  amountArrived: ({ accountNumber }) =>
    present(koboOf(monnify.transfersTo(accountNumber)[0]?.naira), 'the transfer arrived'),
  scenarios: [
    scenario('answered as it should be', 'paid', {}),
    scenario('completed', 'paid', { fate: 'COMPLETED' }),
    scenario('failed', 'refused', { fate: 'FAILED', description: 'Dormant beneficiary account' }),
    scenario('expired', 'refused', { fate: 'EXPIRED' }),
    scenario('failed for a reason that may still pass, and did not', 'refused', mayPass),
    scenario('called failed before it was paid', 'paid', {
      words: [{ status: 'FAILED', description: 'Unable to complete the transaction' }],
    }),
    scenario('called failed in the answer to the submission, and paid', 'paid', { answered: 'FAILED' }),
    scenario('called failed in the answer to the submission, with a reason, and paid', 'paid', {
      answered: 'FAILED',
      comment: 'Dormant beneficiary account',
    }),
    scenario('called failed in the answer to the submission, and not shown at first', 'paid', {
      answered: 'FAILED',
      hiddenMs: 10_000,
      words: [{ status: 'FAILED', description: 'Timed out while waiting for destination bank' }],
    }),
    scenario('called failed without a word why, again and again', 'open', { fate: 'FAILED' }),
    scenario('waiting for an approval', 'open', { fate: 'PENDING_AUTHORIZATION', answered: 'PENDING_AUTHORIZATION' }),
    scenario('never finished', 'open', { fate: 'IN_PROGRESS' }),
    scenario('paid and sent back', 'returned', { fate: 'REVERSED' }),
    scenario('answered late', 'paid', { submit: ['late'] }),
    scenario('never answered', 'paid', { submit: ['never'], status: ['never'] }),
    scenario('answered twice', 'paid', { submit: ['twice'] }),
    scenario('answered with half a JSON text', 'paid', { submit: ['half'], status: ['half'] }),
    scenario('answered with a web page', 'paid', { submit: ['page'], status: ['page'] }),
    scenario('answered 500 but done', 'paid', { submit: ['error-done'], status: ['error-done'] }),
    scenario('cut off after it arrived', 'paid', { submit: ['cut-after'], status: ['cut-after'] }),
    scenario('called a duplicate although it was the first', 'paid', { submit: ['duplicate'] }),
    scenario('called a duplicate although it never came', 'lost', { submit: ['duplicate-untrue'] }),
    scenario('called a duplicate and not shown at first', 'paid', { submit: ['duplicate'], status: ['missing'] }),
    scenario('answered with a word that nobody knows', 'paid', { submit: ['odd-word'], status: ['odd-word'] }),
    scenario("answered with somebody else's transfer", 'refused', {
      fate: 'FAILED',
      description: 'Dormant beneficiary account',
      submit: ['other-payment'],
    }),
    scenario('refused, but done', 'paid', { submit: [carriedOut] }),
    scenario('refused, but done, and not shown at first', 'paid', { submit: [carriedOut], hiddenMs: 14 * minuteMs }),
    scenario('refused with 99, but done', 'paid', { submit: [{ code: '99', done: true }], hiddenMs: 14 * minuteMs }),
    scenario('made and not shown at first', 'paid', { hiddenMs: 14 * minuteMs }),
    scenario('not shown at first', 'paid', { submit: ['never'], status: ['missing', 'missing-page', 'missing'] }),
    scenario('met by a token that is refused once', 'paid', { submit: ['key-refused'], status: ['key-refused'] }),
    scenario('met by tokens that are always refused', 'paid', { status: ['key-refused', 'key-refused'] }),
    scenario('cut off before it was read', 'lost', { submit: ['cut-before'] }),
    scenario('answered 503 and not done', 'lost', { submit: ['error-not-done'] }),
    scenario('redirected', 'lost', { submit: ['redirect'] }),
    scenario('answered by a gateway', 'lost', { submit: ['gateway-page'] }),
    scenario('refused with 99, which says nothing', 'lost', { submit: [{ code: '99' }] }),
  ],
})

it('a question that a rate limit put off says when there is room, and is no fault of the provider', async () => {
  // A slow machine needs more than the usual second of these tests for so many answers at once.
  const patient = createMonnify({ ...options, limits: { ...limits, readMs: patienceMs }, trust: 'signed' })
  const guarded = guardRail(patient, clock)
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
  const misconfigured = { why: 'misconfigured', askAgainAfterMs: 60_000 }
  it.each<[string, MonnifyScript, object]>([
    ['an empty wallet', { submit: [{ code: 'D04' }] }, { why: 'float', askAgainAfterMs: 60_000 }],
    ['the like of a transfer of the last two minutes', { submit: [{ code: 'D07' }] }, { askAgainAfterMs: 125_000 }],
    ['an address that is refused', { submit: [{ code: 'D06' }] }, misconfigured],
    ['a feature that is not ours', { submit: [{ code: 'D00', status: 403 }] }, misconfigured],
    ...[
      'Disbursement feature not enabled for this merchant',
      'Merchant is not permitted to perform this operation',
      'Invalid API key or IP address',
      'Wallet does not belong to merchant',
      'Merchant account is suspended',
      'IP address 203.0.113.7 is not whitelisted',
    ].map((message): [string, MonnifyScript, object] => [
      message,
      { submit: [{ code: '99', message }] },
      misconfigured,
    ]),
    ['tokens that are always refused', { submit: ['key-refused', 'key-refused'] }, misconfigured],
    ['too many calls', { submit: ['too-many'] }, { askAgainAfterMs: 2_000 }],
    ['a name about which nothing was heard', { enquiry: ['error-done'] }, {}],
    [
      'a name that is not told now',
      { enquiry: [{ code: '99', message: 'Bank is not available' }] },
      { answered: true },
    ],
  ])('%s', async (_, script, expected) => {
    const order = newOrder(script)
    expect(await newRail().payout.submit(order)).toMatchObject({ kind: 'unknown', sent: false, ...expected })
    expect(monnify.transfersTo(order.accountNumber)).toEqual([])
  })

  it('is a transfer that met a token which is refused, when no login succeeds after it', async () => {
    const own = newRail()
    await own.float.balance()
    const order = newOrder({ submit: ['key-refused'] })
    monnify.scriptLogins(['gateway-page'])
    expect(await own.payout.submit(order)).toMatchObject({ kind: 'unknown', sent: false })
    expect(monnify.transfersTo(order.accountNumber)).toEqual([])
  })

  it('is everything while the keys are refused', async () => {
    const state = await newRail('another-secret').payout.submit(newOrder({}))
    expect(state).toMatchObject({ kind: 'unknown', sent: false, ...misconfigured })
  })
})

it('a transfer that Monnify denied for the grace period may come again, also after it was turned away with 429', async () => {
  const [order, own] = [
    newOrder({ submit: ['cut-after', 'too-many', 'cut-after'], hiddenMs: 40 * minuteMs }),
    newRail(),
  ]
  const send = () => own.payout.submit(order)
  const cameTooEarly = () => monnify.repeats.includes(order.railReference)
  expect(await send()).toMatchObject({ kind: 'unknown' })
  clock.advance(15 * minuteMs)
  expect(await own.payout.status(order)).toEqual({ kind: 'not-found' })
  expect(await send()).toMatchObject({ kind: 'unknown', sent: false })
  clock.advance(minuteMs)
  expect(await send()).toMatchObject({ kind: 'unknown' })
  expect(cameTooEarly()).toBe(false)
  await send()
  expect(cameTooEarly()).toBe(true)
})

describe('a refusal with 99 that names the merchant', () => {
  it.each([
    'Transaction could not be completed, contact the merchant',
    'Merchant was not notified of this transaction',
    'This feature is not responding at the moment',
    'Merchant wallet debited, beneficiary not credited yet',
  ])('and not that our account is refused proves nothing, because the transfer may exist: %s', async (message) => {
    const order = newOrder({ submit: [{ code: '99', message, done: true }] })
    const said = await newRail().payout.submit(order)
    expect(said).toEqual({ kind: 'unknown', detail: 'disburse: refused with 400 99', why: 'refused' })
    expect(monnify.transfersTo(order.accountNumber)).toHaveLength(1)
  })
})

it('pays other banks while it cannot name the holders of accounts at one bank', async () => {
  const guarded = guardRail(rail, clock)
  const port = present(guarded.rail.payout, 'the rail pays out')
  const enquiry = [{ code: '99', message: 'Bank is not available' }]
  for (let count = 0; count < 5; count += 1) await port.submit(newOrder({ enquiry }))
  expect(guarded.state('payout')).toBe('closed')
})

describe('a failed transfer', () => {
  it.each<[string, MonnifyScript, string]>([
    ['an account that does not exist', { enquiry: [{ code: '99', message: 'Invalid details' }] }, 'INVALID_ACCOUNT'],
    ['an account of another name', { holder: 'A. BELLO' }, 'ACCOUNT_NAME_MISMATCH'],
    ['an account that is not validated', { submit: [{ code: 'D03' }] }, 'INVALID_ACCOUNT'],
    [
      'what is to be treated as failed, for a reason of the payee',
      { submit: [{ code: 'D01', message: 'Transfer limit exceeded' }] },
      'LIMIT_EXCEEDED',
    ],
  ])('%s', async (_, script, reason) => {
    const order = newOrder(script)
    expect(await rail.payout.submit(order)).toEqual({ kind: 'failed', reason, created: false })
    expect(monnify.transfersTo(order.accountNumber)).toEqual([])
  })

  it('a bank that Monnify has no code for', async () => {
    const order = { ...newOrder({}), bank: { ...bank, slug: 'elsewhere', cbnCode: null } }
    expect(await rail.payout.submit(order)).toEqual({ kind: 'failed', reason: 'BANK_NOT_FOUND', created: false })
  })

  it.each([
    ['a code that no document has', { code: 'D99' }],
    ['what is to be treated as failed, for a reason that may be the bank’s', { code: 'D01', message: 'Timed out' }],
    ['99, which is anything', { code: '99', message: 'Request failed validation' }],
  ])('is not one that was refused with %s, which proves nothing', async (_, refused) => {
    expect(await rail.payout.submit(newOrder({ submit: [refused] }))).toEqual({
      kind: 'unknown',
      why: 'refused',
      detail: expect.stringMatching(/^disburse: refused with 400 /),
    })
  })
})

it.each<[string, string, object]>([
  ['99', 'Reference is not unique for this merchant', { kind: 'unknown', why: 'refused' }],
  ['D05', 'Reference is not new for this merchant', { kind: 'pending', exists: true }],
  ['D04', 'Balance of merchant is not enough', { kind: 'unknown', why: 'float' }],
])(
  'takes %s with the text %j for no refusal of our account, which would let another rail pay',
  async (code, message, state) => {
    expect(await newRail().payout.submit(newOrder({ submit: [{ code, message }] }))).toMatchObject(state)
  },
)

describe('a transfer that exists', () => {
  it.each<[string, MonnifyScript]>([
    ['D05', { submit: ['duplicate'] }],
    ['D05 although it is not', { submit: ['duplicate-untrue'] }],
    ['99 and a text', { submit: [{ code: '99', message: 'Duplicate transaction reference for this merchant' }] }],
    ['another text', { submit: [{ code: 'D99', message: 'Reference already exists' }] }],
  ])('is a transfer that is refused with %s', async (_, script) => {
    const state = await rail.payout.submit(newOrder(script))
    expect(state).toEqual({ kind: 'pending', askAgainAfterMs: 0, exists: true })
  })

  it.each(['PENDING_AUTHORIZATION', 'PENDING_BATCH_AUTHORIZATION', 'OTP_EMAIL_DISPATCH_FAILED'])(
    'is a transfer that waits for a one-time code (%s), which is for an operator to switch off',
    async (answered) => {
      const order = newOrder({ answered, fate: answered })
      expect(await newRail().payout.submit(order)).toEqual({
        kind: 'unknown',
        why: 'misconfigured',
        detail: expect.stringMatching(/one-time codes .* off/),
      })
      expect(await rail.payout.status(order)).toEqual({ kind: 'pending' })
    },
  )
})

describe('status', () => {
  it('says not-found of what the provider does not know now, and leaves to the caller what follows', async () => {
    const order = newOrder({ submit: ['cut-before'] })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toEqual({ kind: 'not-found' })
  })

  it.each([
    'Timed out while waiting for destination bank',
    'Delayed processing from NIP',
    'Beneficiary bank not available',
    'Invalid session ID',
    'Invalid response code from beneficiary',
    'System malfunction by destination',
    'Unable to complete',
    'Transaction could not be processed at this time',
    'Processing in progress',
    'Processor malfunction',
    'The bank said something new',
  ])('takes FAILED for %j as true only after half an hour of it', async (description) => {
    const order = newOrder({ fate: 'FAILED', description })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'unknown' })
    clock.advance(30 * 60_000 - 1)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'unknown' })
    clock.advance(1)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'failed' })
  })

  it('does not believe an early FAILED because a clock was an hour wrong', async () => {
    const order = newOrder({ fate: 'FAILED', description: 'System malfunction by destination' })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'unknown' })
    clock.set(60 * minuteMs)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'unknown' })
    clock.set(-60 * minuteMs)
  })

  it('counts the half hour from the start when Monnify calls the transfer anything but FAILED', async () => {
    const early = { status: 'FAILED', description: 'Unable to complete' }
    const order = newOrder({
      fate: 'FAILED',
      description: 'Unable to complete',
      words: [early, { status: 'PENDING', description: '' }],
    })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'unknown' })
    clock.advance(20 * minuteMs)
    expect(await rail.payout.status(order)).toEqual({ kind: 'pending' })
    clock.advance(20 * minuteMs)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'unknown' })
    clock.advance(30 * minuteMs)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'failed' })
  })

  it('does not believe an early FAILED that waited for a suspended process until the half hour was over', async () => {
    const order = newOrder({ fate: 'FAILED', description: 'System malfunction by destination' })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'unknown' })
    clock.advance(29 * minuteMs)
    const asking = rail.payout.status(order)
    clock.advance(2 * minuteMs)
    expect(await asking).toMatchObject({ kind: 'unknown' })
  })

  it('does not believe FAILED without a text, however long it stays so', async () => {
    const order = newOrder({ fate: 'FAILED' })
    await rail.payout.submit(order)
    clock.advance(24 * 60 * minuteMs)
    expect(await rail.payout.status(order)).toEqual({ kind: 'unknown', detail: expect.stringContaining('without') })
  })

  it('does not believe what became of a transfer to the same number at another bank', async () => {
    for (const fate of ['SUCCESS', 'FAILED', 'REVERSED']) {
      const order = newOrder({ fate, bankShown: '305', description: 'Dormant beneficiary account' })
      expect(await rail.payout.submit(order)).toMatchObject({ kind: 'unknown' })
      const detail = expect.stringContaining('another')
      expect(await rail.payout.status(order)).toEqual({ kind: 'unknown', why: 'mismatch', detail })
    }
  })

  it.each([bank.cbnCode, bank.nipCode])('knows the bank by its code %s', async (bankShown) => {
    const order = newOrder({ bankShown: bankShown ?? '' })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toMatchObject({ kind: 'succeeded' })
  })

  it.each([
    ['Dormant beneficiary account', 'DORMANT_ACCOUNT'],
    ['Do not honor', 'DO_NOT_HONOR'],
    ['Beneficiary is on a watchlist', 'SUSPECTED_FRAUD'],
  ])('reads from %j why it failed', async (description, reason) => {
    const order = newOrder({ fate: 'FAILED', description })
    await rail.payout.submit(order)
    expect(await rail.payout.status(order)).toEqual({ kind: 'failed', reason })
  })
})

describe('the token', () => {
  const look = (own: typeof rail) => own.float.balance()

  it('is fetched once for all calls that wait for it, and used until a minute before its end', async () => {
    const own = newRail()
    const before = monnify.logins()
    await Promise.all([look(own), look(own), look(own)])
    clock.advance(3_506_999)
    await look(own)
    expect(monnify.logins() - before).toBe(1)
    clock.advance(1)
    await look(own)
    expect(monnify.logins() - before).toBe(2)
  })

  it('is fetched again, once for all callers, when it ended early', async () => {
    const own = newRail()
    await look(own)
    const before = monnify.logins()
    monnify.revokeTokens()
    const answers = await Promise.all([look(own), look(own), look(own)])
    expect(answers.map(({ kind }) => kind)).toEqual(['known', 'known', 'known'])
    expect(monnify.logins() - before).toBe(1)
  })
})

const question = (accountNumber: string) => ({ bank, accountNumber })
monnify.script('0000000404', { enquiry: Array.from({ length: 9 }, () => ({ code: '99', message: 'Invalid details' })) })
monnify.script('0000000500', { enquiry: ['error-done'] })
monnify.script('0000000600', { holder: ' ' })
monnify.script('0000000700', { enquiry: [{ code: '99', message: 'Request failed validation' }] })
describeBankDirectory('Monnify', {
  directory: rail.bankDirectory,
  known: question('0123456789'),
  missing: question('0000000404'),
  silent: [
    ...['0000000500', '0000000600', '0000000700'].map(question),
    { bank: { ...bank, slug: 'elsewhere', cbnCode: null }, accountNumber: '0123456789' },
  ],
})

it.each([
  [150_000n, '1500.00'],
  [150_050n, '1500.50'],
  [9_007_199_254_740_901n, '90071992547409.01'],
])('sends %s kobo as the number %s, digit by digit', async (amount, naira) => {
  const order = newOrder({}, toMoney(amount))
  expect(await rail.payout.submit(order)).toMatchObject({ kind: 'pending' })
  expect(monnify.transfersTo(order.accountNumber)).toMatchObject([{ naira }])
})

it('reads the balance of the wallet to the kobo', async () => {
  expect(await rail.float.balance()).toEqual({
    kind: 'known',
    wallets: [{ currency: 'NGN', amount: 5_000_050n }],
  })
  expect(await newRail('another-secret').float.balance()).toMatchObject({ kind: 'unavailable', why: 'misconfigured' })
})

it('reads the balance of a wallet that is overdrawn', async () => {
  monnify.lists.held = '-1250.75'
  expect(await rail.float.balance()).toEqual({ kind: 'known', wallets: [{ currency: 'NGN', amount: -125_075n }] })
  monnify.lists.held = '50000.50'
})

it.each([
  ['staging', undefined, 'https://sandbox.monnify.com'],
  ['production', undefined, 'https://api.monnify.com'],
  ['production', 'http://127.0.0.1:1', 'http://127.0.0.1:1'],
] as const)('in %s, with the address %s in the file, is called at %s', async (environment, baseUrl, expected) => {
  const called: string[] = []
  const request: Net['request'] = ({ url }) => {
    called.push(url)
    return Promise.resolve({ kind: 'failed', reason: 'timeout', sent: false, message: 'played', durationMs: 1 })
  }
  const entry = { kind: 'monnify', environment, ...monnifyKeys, contractCode: '7', trust: 'signed', baseUrl } as const
  const made = createRail('monnify', entry, { net: { request, close: () => Promise.resolve() }, clock })
  expect(await made.float?.balance()).toMatchObject({ kind: 'unavailable' })
  expect(called).toEqual([`${expected}/api/v1/auth/login`])
})

describe('codes of banks', () => {
  const banks = listBanks()
  it('are of banks that there are', () => {
    const slugs = banks.map(({ slug }) => slug)
    expect(Object.keys(codes).filter((slug) => !slugs.includes(slug))).toEqual([])
  })

  it('are each of one bank alone, but for a brand of it', () => {
    const named = Map.groupBy(banks, bankCodeOf)
    named.delete(null)
    const shared = [...named.values()].filter((same) => same.length > 1)
    expect(shared.map((same) => same.map(({ slug }) => slug))).toEqual([['alat-by-wema', 'wema-bank']])
    expect(banks.filter((one) => bankCodeOf(one) === '305').map(({ slug }) => slug)).toEqual(['paycom'])
  })
})
