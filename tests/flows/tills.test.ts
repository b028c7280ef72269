// Payouts to M-PESA tills and paybills in Kenya: which fields each needs, how they end on staging, and where they are shown.

import { describe, expect, it } from 'vitest'
import { setCurrencies } from '#businesses/currencies.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { untilMomo } from '#tests/payments/momo-requests.ts'
import { newReference } from '#tests/payments/requests.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'
import { useVerifyingReceiver } from '#tests/support/verifying-receiver.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const { staging, production, ctx } = service
const tenants = service.business.tenants
await setCurrencies(ctx, tenants.staging, { on: ['KES'], off: [] })

type Body = Record<string, unknown>
const common = (): Body => ({ reference: newReference('TILL'), amount: 150_000 })
const toTill = (changes: Body = {}): Body => ({
  ...common(),
  operator: 'mpesa-till',
  accountNumber: '247247',
  ...changes,
})
const toPaybill = (changes: Body = {}): Body => ({
  ...common(),
  operator: 'mpesa-paybill',
  accountNumber: '400200',
  accountReference: 'INV-2026/11',
  ...changes,
})
const toWallet = (changes: Body = {}): Body => ({ ...common(), phoneNumber: '+254710000001', ...changes })
const send = (body: Body): Promise<Answer> => staging.post('/v1/momo/transfer', body)

async function kes(): Promise<{ available: number; reserved: number; ledger: number }> {
  const { balances } = expectSuccess(await staging.get('/v1/balance'))
  return balances.find(({ currency }: { currency: string }) => currency === 'KES')
}

describe('the list of operators', () => {
  it('says how each is paid, and that a till and a paybill pay nothing in', async () => {
    const { operators } = expectSuccess(await staging.get('/v1/momo/operators?country=KE'))
    const shown = operators.map(({ slug, recipient, supports }: Body) => ({ slug, recipient, supports }))
    const both = { transfer: true, collection: true }
    const out = { transfer: true, collection: false }
    expect(shown).toEqual([
      { slug: 'mpesa-ke', recipient: 'phone', supports: both },
      { slug: 'airtel-ke', recipient: 'phone', supports: both },
      { slug: 'tkash-ke', recipient: 'phone', supports: both },
      { slug: 'equitel-ke', recipient: 'phone', supports: both },
      { slug: 'mpesa-till', recipient: 'till', supports: out },
      { slug: 'mpesa-paybill', recipient: 'paybill', supports: out },
    ])
  })
})

describe('a payout', async () => {
  const receiver = await useVerifyingReceiver()

  it('to a till leaves the balance in shillings, ends, and is told of', async () => {
    const events = ['momo.transfer.success', 'momo.transfer.failed']
    const { secret } = expectSuccess(await staging.post('/v1/webhooks', { url: receiver.url, events }))
    receiver.secrets.push(secret)
    const before = await kes()
    const order = toTill({ accountName: 'Mama Mboga Shop' })
    expect(expectSuccess(await send(order))).toMatchObject({
      status: 'queued',
      amount: 150_000,
      fee: 1_500,
      totalDebit: 151_500,
      currency: 'KES',
      phoneNumber: null,
      accountNumber: '247247',
      accountReference: null,
      operator: 'mpesa-till',
      accountName: 'Mama Mboga Shop',
    })
    expect((await kes()).available).toBe(before.available - 151_500)
    const paid = await untilMomo(staging, 'transfer', String(order['reference']), 'SUCCESS')
    expect(paid).toMatchObject({ isFinal: true, operatorReference: expect.stringMatching(/\S/) })
    expect((await kes()).ledger).toBe(before.ledger - 151_500)
    await untilHolds(() => expect(receiver.arrivals).toHaveLength(1))
    expect(receiver.arrivals[0]).toMatchObject({ genuine: true, body: { event: 'momo.transfer.success', data: paid } })
    const { entries } = expectSuccess(await staging.get('/v1/balance/ledger?currency=KES&limit=2'))
    expect(entries.map(({ reference }: Body) => reference)).toContain(order['reference'])
  })

  it('to a paybill keeps the account there', async () => {
    const order = toPaybill()
    expectSuccess(await send(order))
    const paid = await untilMomo(staging, 'transfer', String(order['reference']), 'SUCCESS')
    expect(paid).toMatchObject({ phoneNumber: null, accountNumber: '400200', accountReference: 'INV-2026/11' })
  })

  it.each([
    ['005', 'RECIPIENT_NOT_FOUND'],
    ['006', 'OPERATOR_UNAVAILABLE'],
    ['007', 'LIMIT_EXCEEDED'],
  ])('to a number that ends in %s fails on staging with %s, and its money comes back', async (end, failureReason) => {
    const before = await kes()
    for (const order of [toTill({ accountNumber: `24${end}` }), toPaybill({ accountNumber: `4002${end}` })]) {
      expectSuccess(await send(order))
      const failed = await untilMomo(staging, 'transfer', String(order['reference']), 'FAILED')
      expect(failed).toMatchObject({ failureReason, failureMessage: expect.stringMatching(/\S/) })
    }
    expect(await kes()).toEqual(before)
  })

  it('that never ends can be completed by the tester', async () => {
    const order = toTill({ accountNumber: '1234008' })
    expectSuccess(await send(order))
    const path = `/v1/sandbox/momo/transfer/${String(order['reference'])}/complete`
    const failed = expectSuccess(await staging.post(path, { status: 'FAILED', failureReason: 'WALLET_LIMIT_REACHED' }))
    expect(failed).toMatchObject({ status: 'FAILED', accountNumber: '1234008' })
  })

  it('leaves books in which everything adds up', async () => {
    const invariants = [...ledgerInvariants, ...paymentInvariants]
    expect(await verifyLedger(ctx, { invariants })).toEqual([])
  })
})

describe('a wallet', () => {
  it('is answered as before, with the fields of tills empty', async () => {
    const order = toWallet()
    expect(expectSuccess(await send(order))).toMatchObject({
      phoneNumber: '+254710000001',
      operator: 'mpesa-ke',
      accountNumber: null,
      accountReference: null,
    })
  })
})

describe('people in the dashboard', async () => {
  const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
  const here = below(service, 'staging')

  it('find both by their numbers, and download the account at a paybill', async () => {
    const order = toPaybill({ accountNumber: '7654321', accountReference: 'A-1' })
    expectSuccess(await send(order))
    await untilMomo(staging, 'transfer', String(order['reference']), 'SUCCESS')
    const { text } = await owner.get(`${here}/export/momo-transfers.csv?payee=7654321`)
    const [head = '', row = '', ...others] = text.trim().split(/\r?\n/)
    expect(head).toContain('phoneNumber,accountNumber,accountReference,operator')
    expect([row.includes('7654321,A-1,mpesa-paybill'), others]).toEqual([true, []])
    const receipt = await owner.get(`${here}/payments/${String(order['reference'])}/receipt`)
    expect(receipt.status).toBe(200)
  })

  it('are asked before they pay a till twice, but not for another till or account', async () => {
    const path = `${here}/v1/momo/transfer`
    const [till, paybill] = [{ accountNumber: '55667' }, { accountNumber: '55667', accountReference: 'B-1' }]
    expectSuccess(await owner.post(path, toTill(till)))
    expectError(await owner.post(path, toTill(till)), 409, 'SECOND_PAYOUT')
    expectSuccess(await owner.post(path, toPaybill(paybill)))
    expectError(await owner.post(path, toPaybill(paybill)), 409, 'SECOND_PAYOUT')
    expectSuccess(await owner.post(path, toPaybill({ ...paybill, accountReference: 'B-2' })))
  })

  it('save a till as a recipient, and no paybill', async () => {
    const recipient = { kind: 'wallet', name: 'Corner Shop', tags: [], accountNumber: '247247' }
    const saved = expectSuccess(await owner.post(`${here}/recipients`, { ...recipient, institution: 'mpesa-till' }))
    expect(saved).toMatchObject({ institution: 'mpesa-till', accountNumber: '247247', accountName: null })
    const paybill = await owner.post(`${here}/recipients`, { ...recipient, institution: 'mpesa-paybill' })
    expectError(paybill, 400, 'VALIDATION_ERROR', /paybills are paid with the API/)
  })
})

describe('a second request with the same reference', () => {
  it('is the same payout if number, operator and account agree', async () => {
    for (const order of [toTill(), toPaybill()]) {
      const first = expectSuccess(await send(order))
      const again = await send({ ...order, accountName: 'Another Name' })
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect(expectSuccess(again)).toMatchObject({ id: first.id, accountNumber: order['accountNumber'] })
    }
  })

  it.each([
    ['accountNumber', { accountNumber: '400201' }],
    ['accountReference', { accountReference: 'INV-2026/12' }],
    ['amount', { amount: 160_000 }],
    ['operator', { operator: 'mpesa-till', accountReference: undefined }],
  ])('conflicts if %s differs', async (field, changes) => {
    const order = toPaybill()
    expectSuccess(await send(order))
    const answer = await send({ ...order, ...changes })
    expectError(answer, 409, 'CONFLICT', new RegExp(`with another ${field} before`))
    expect(answer.body.error?.details).toMatchObject([{ field, code: 'differs' }])
  })
})

describe('refuses', () => {
  it.each<[string, Body, [field: string, says: RegExp, code: string][]]>([
    [
      'a till without its number',
      toTill({ accountNumber: undefined }),
      [['accountNumber', /is required for M-PESA till .*: send the 5 to 7 digits/, 'required']],
    ],
    ['a till of four digits', toTill({ accountNumber: '1234' }), [['accountNumber', /5 to 7 digits/, 'wrong_format']]],
    ['a till as a number', toTill({ accountNumber: 247_247 }), [['accountNumber', /must be a string/, 'wrong_type']]],
    [
      'a till with a phone number',
      toTill({ phoneNumber: '+254710000001' }),
      [['phoneNumber', /is not for M-PESA till .*: leave it out, and send accountNumber/, 'not_allowed']],
    ],
    [
      'a till with an account',
      toTill({ accountReference: 'A1' }),
      [['accountReference', /is for paybills: leave it out/, 'not_allowed']],
    ],
    [
      'a paybill without an account',
      toPaybill({ accountReference: undefined }),
      [['accountReference', /is required for M-PESA paybill: send the account at the paybill/, 'required']],
    ],
    [
      'a paybill with an account of other characters',
      toPaybill({ accountReference: 'A_1' }),
      [['accountReference', /letters, digits, spaces and - \. \//, 'wrong_format']],
    ],
    [
      'a paybill with an account of 21 characters',
      toPaybill({ accountReference: 'A'.repeat(21) }),
      [['accountReference', /at most 20/, 'too_long']],
    ],
    [
      'a wallet with the number of a till',
      toWallet({ accountNumber: '247247' }),
      [['accountNumber', /is for tills and paybills: .*mpesa-till or mpesa-paybill as operator/, 'not_allowed']],
    ],
    [
      'a wallet with an account',
      toWallet({ accountReference: 'A1' }),
      [['accountReference', /is for paybills: leave it out, or send mpesa-paybill/, 'not_allowed']],
    ],
    ['nobody', common(), [['phoneNumber', /is required/, 'required']]],
    [
      'several faults, all at once',
      toPaybill({ amount: 0, accountNumber: undefined, accountReference: undefined, phoneNumber: '+254710000001' }),
      [
        ['amount', /at least 1/, 'below_minimum'],
        ['phoneNumber', /is not for/, 'not_allowed'],
        ['accountNumber', /is required/, 'required'],
        ['accountReference', /is required/, 'required'],
      ],
    ],
    ['a fraction of a cent', toTill({ amount: 1.5 }), [['amount', /in the minor unit/, 'not_a_whole_number']]],
    ['half a shilling', toTill({ amount: 150_050 }), [['amount', /multiple of 100/, 'not_a_multiple']]],
    ['another currency', toTill({ currency: 'GHS' }), [['currency', /must be KES/, 'not_allowed']]],
  ])('%s', async (_what, body, faults) => {
    const answer = await send(body)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details).toEqual(
      faults.map(([field, says, code]) =>
        expect.objectContaining({ field, message: expect.stringMatching(says), code }),
      ),
    )
  })

  it('an operator that does not exist, before it asks for a phone number', async () => {
    expectError(await send(toTill({ operator: 'mpesa-shop' })), 400, 'INVALID_OPERATOR', /no operator with the slug/)
  })

  it('to collect from a till, and to look up its holder', async () => {
    const asked = { reference: newReference('COLLECT'), amount: 100_000, phoneNumber: '+254710000001' }
    const says = /has no phone numbers and takes no collections/
    const collected = await staging.post('/v1/momo/collection', { ...asked, operator: 'mpesa-till' })
    expectError(collected, 400, 'INVALID_OPERATOR', says)
    const resolved = await staging.get('/v1/momo/resolve?phoneNumber=%2B254710000001&operator=mpesa-paybill')
    expectError(resolved, 400, 'INVALID_OPERATOR', says)
  })

  it('in production without a rail that pays tills, which it does not list', async () => {
    const { operators } = expectSuccess(await production.get('/v1/momo/operators?country=KE'))
    expect(operators).toEqual([])
    const answer = await production.post('/v1/momo/transfer', toTill())
    expectError(answer, 400, 'INVALID_OPERATOR', /where GET \/v1\/momo\/operators lists it/)
  })
})
