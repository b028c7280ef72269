// The whole service with pawaPay: whatever its server and its callbacks do wrong, each payment ends once and no wallet
// is paid twice.

import { afterAll, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { setCurrencies } from '#businesses/currencies.ts'
import { heldByBook, readFloat } from '#ledger/float.ts'
import { systemClock } from '#platform/clock.ts'
import { createNet } from '#platform/http-client/client.ts'
import { createPawapay } from '#rails/pawapay/pawapay.ts'
import { eventsOf } from '#tests/deposits/requests.ts'
import { untilMomo } from '#tests/payments/momo-requests.ts'
import { newReference } from '#tests/payments/requests.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { pawapayToken, startFakePawapay, type PawapayScript } from '#tests/support/fakes/pawapay.ts'
import type { CallbackOptions } from '#tests/support/fakes/pawapay-callbacks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const fake = await startFakePawapay()
const net = createNet()
const common = { apiToken: pawapayToken, baseUrl: fake.url, net, clock: systemClock }
const signed = createPawapay({
  ...common,
  name: 'pawapay',
  callbacks: 'signed',
  limits: { submitMs: 2_000, readMs: 2_000 },
})
const unsigned = createPawapay({ ...common, name: 'unsigned', callbacks: 'unsigned' })
const token = 'a-token-of-the-address'
const service = await useService({
  rails: { staging: [signed, { name: 'unsigned', inbound: unsigned.inbound }] },
  noticeTokenOf: (rail) => (rail === 'unsigned' ? token : undefined),
})
const provider = createClient(service.url)
afterAll(async () => {
  provider.close()
  await Promise.all([net.close(), fake.close()])
})

const noticesPath = '/staging/rails/pawapay/notices'
const address = { method: 'POST', authority: new URL(service.url).host, path: noticesPath }

async function post(headers: Record<string, string>, body: Buffer, path = noticesPath): Promise<number> {
  return (await provider.call(path, { method: 'POST', headers, body })).status
}

async function tell(id: string, options?: CallbackOptions): Promise<number> {
  const { headers, rawBody } = fake.callback(id, address, options)
  return post(headers, rawBody)
}

let used = 8_031_230_000
const newPhone = (): string => `+234${(used += 10)}`

/** An open payment whose first request has reached pawaPay. */
async function begin(kind: 'transfer' | 'collection', script: PawapayScript) {
  const [phoneNumber, reference] = [newPhone(), newReference()]
  fake.script(phoneNumber, script)
  const body = {
    reference,
    amount: 150_000,
    phoneNumber,
    operator: 'mtn-momo',
    ...(kind === 'transfer' ? { accountName: 'Ada Obi' } : {}),
  }
  expectSuccess(await service.staging.post(`/v1/momo/${kind}`, body))
  await untilHolds(() => expect(fake.paymentsOf(phoneNumber)).toHaveLength(1))
  const { id } = present(fake.paymentsOf(phoneNumber)[0], 'it arrived')
  return { reference, phoneNumber, id, end: (fate: string) => fake.script(phoneNumber, { fate, words: [] }) }
}

async function expectOnce(reference: string, phoneNumber: string, name: string): Promise<void> {
  expect(await eventsOf(service.database, reference)).toMatchObject([{ name }])
  expect(fake.paymentsOf(phoneNumber)).toHaveLength(1)
  expect(fake.repeats).toEqual([])
  expect(fake.faults).toEqual([])
}

const operations = ['transfer', 'collection'] as const

it.each(operations)('a callback about a %s ends it, however often it comes', async (kind) => {
  const { reference, phoneNumber, id, end } = await begin(kind, { fate: 'stuck' })
  end('COMPLETED')
  expect(await Promise.all([tell(id), tell(id, { encoding: 'ieee-p1363' }), tell(id)])).toEqual([200, 200, 200])
  const operatorReference = `OP${id.slice(0, 8).toUpperCase()}`
  expect(await untilMomo(service.staging, kind, reference, 'SUCCESS')).toMatchObject({ operatorReference })
  expect(await tell(id)).toBe(200)
  await expectOnce(reference, phoneNumber, `momo.${kind}.success`)
})

it.each(operations)('a callback that says more than pawaPay does leaves a %s as it is', async (kind) => {
  const { reference, phoneNumber, id, end } = await begin(kind, { fate: 'stuck' })
  const name = kind === 'transfer' ? 'payoutId' : 'depositId'
  const untrue = fake.sign(JSON.stringify({ [name]: id, status: 'COMPLETED', amount: '1500' }), address)
  expect(await post(untrue.headers, untrue.rawBody)).toBe(200)
  end('PAYMENT_NOT_APPROVED')
  expect(await tell(id)).toBe(200)
  const failed = await untilMomo(service.staging, kind, reference, 'FAILED')
  expect(failed).toMatchObject({ failureReason: 'PAYMENT_NOT_APPROVED' })
  await expectOnce(reference, phoneNumber, `momo.${kind}.failed`)
})

it.each([
  ['a callback tells of', (id: string) => tell(id)],
  [
    'no callback tells of',
    (id: string) =>
      asOwner(service.database, 'update payment set due_at = now() where rail_reference = $1 and due_at is null', [id]),
  ],
])('a collection that has expired, and whose money %s, is credited once', async (_title, learn) => {
  const { reference, phoneNumber, id, end } = await begin('collection', { fate: 'stuck' })
  const expired = { status: 'FAILED', failureReason: 'EXPIRED' }
  expectSuccess(await service.staging.post(`/v1/sandbox/momo/collection/${reference}/complete`, expired))
  end('COMPLETED')
  await Promise.all([learn(id), learn(id)])
  const paid = await untilMomo(service.staging, 'collection', reference, 'SUCCESS')
  expect(paid).toMatchObject({ failureReason: null, operatorReference: `OP${id.slice(0, 8).toUpperCase()}` })
  expect(await tell(id)).toBe(200)
  const credited = 'select amount::int from deposit where sender_account_number = $1'
  expect(await asOwner(service.database, credited, [phoneNumber])).toEqual([{ amount: 150_000 }])
  const told = (await eventsOf(service.database, reference)).map(({ name }) => name)
  expect(told.toSorted()).toEqual(['momo.collection.failed', 'momo.collection.success'])
})

it.each<[string, CallbackOptions]>([
  ['with a signature of another key', { isForged: true }],
  ['that has expired', { ageMs: 300_000 }],
])('a callback %s is refused, and another one for another path', async (_title, options) => {
  const { id } = await begin('transfer', { fate: 'stuck' })
  expect(await tell(id, options)).toBe(401)
  const { headers, rawBody } = fake.callback(id, { ...address, path: '/production/rails/pawapay/notices' })
  expect(await post(headers, rawBody)).toBe(401)
})

it('a callback that is not signed counts with the token of its address alone', async () => {
  const body = Buffer.from(JSON.stringify({ payoutId: '08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e', status: 'COMPLETED' }))
  const json = { 'content-type': 'application/json' }
  expect(await post(json, body, '/staging/rails/unsigned/notices')).toBe(401)
  expect(await post(json, body, '/staging/rails/unsigned/notices/another-token')).toBe(401)
  expect(await post(json, body, `/staging/rails/unsigned/notices/${token}`)).toBe(200)
})

const misfortunes: [string, PawapayScript][] = [
  ['cut off after it arrived', { submit: ['cut-after'] }],
  ['answered 500 with UNKNOWN_ERROR, but done', { submit: [{ code: 'UNKNOWN_ERROR', status: 500, done: true }] }],
  ['answered with half a JSON text', { submit: ['half'], status: ['half'] }],
  ['answered with a page, and asked about in vain', { submit: ['page'], status: ['maintenance-page', 'odd-word'] }],
  ['answered DUPLICATE_IGNORED', { submit: ['duplicate'] }],
  ['not answered at all', { submit: ['never'] }],
  ['refused in words that are on no list, but done', { submit: [{ code: 'A_NEW_CODE', done: true }] }],
  ['called NOT_FOUND before it is COMPLETED', { submit: ['cut-after'], hiddenMs: 1_500 }],
]

it.each(misfortunes.flatMap(([title, script]) => operations.map((kind) => [kind, title, script] as const)))(
  'a %s that is %s ends once',
  async (kind, _title, script) => {
    const { reference, phoneNumber, id, end } = await begin(kind, { fate: 'stuck', ...script })
    await untilHolds(async () => {
      end('COMPLETED')
      await tell(id)
      const data = expectSuccess(await service.staging.get(`/v1/momo/${kind}/${reference}`))
      expect(data).toMatchObject({ status: 'SUCCESS' })
    })
    await expectOnce(reference, phoneNumber, `momo.${kind}.success`)
  },
)

it.each([
  ['GHS', '+233241234560', 12_550, '125.5'],
  ['UGX', '+256772000010', 5_000, '5000'],
  ['XOF', '+2250512345670', 1_500, '1500'],
] as const)('pays out and collects %s in its own minor unit', async (currency, phoneNumber, amount, text) => {
  await setCurrencies(service.ctx, service.business.tenants.staging, { on: [currency], off: [] })
  for (const kind of operations) {
    fake.script(phoneNumber, { words: [] })
    const reference = newReference()
    expectSuccess(await service.staging.post(`/v1/momo/${kind}`, { reference, amount, currency, phoneNumber }))
    await untilHolds(() => expect(fake.paymentsOf(phoneNumber).map((one) => one.kind)).toContain(asThere[kind]))
    const there = present(
      fake.paymentsOf(phoneNumber).find((one) => one.kind === asThere[kind]),
      'it arrived',
    )
    expect(there).toMatchObject({ amount: text, currency })
    await tell(there.id)
    expect(await untilMomo(service.staging, kind, reference, 'SUCCESS')).toMatchObject({ amount, currency })
  }
  expect(fake.faults).toEqual([])
})

it('books payouts and collections in the wallet of their country, also where countries share a currency', async () => {
  await setCurrencies(service.ctx, service.business.tenants.staging, { on: ['XOF'], off: [] })
  const held = async () => {
    const book = await readFloat(service.ctx.db, { environment: 'staging', rail: 'pawapay' })
    return ['CI', 'BF', 'SN'].map((country) => heldByBook(book, { currency: 'XOF', country }) ?? 0n)
  }
  const [ivory = 0n, faso = 0n] = await held()
  const move = async (kind: (typeof operations)[number], phoneNumber: string, amount: number): Promise<void> => {
    const reference = newReference()
    fake.script(phoneNumber, { words: [] })
    expectSuccess(await service.staging.post(`/v1/momo/${kind}`, { reference, amount, phoneNumber }))
    await untilHolds(() => expect(fake.paymentsOf(phoneNumber)).toHaveLength(1))
    await tell(present(fake.paymentsOf(phoneNumber)[0], 'it arrived').id)
    await untilMomo(service.staging, kind, reference, 'SUCCESS')
  }
  await move('transfer', '+2250512345680', 700)
  await move('transfer', '+22607123460', 300)
  await move('collection', '+2250512345690', 1_200)
  expect(await held()).toEqual([ivory + 500n, faso - 300n, 0n])
})

const asThere = { transfer: 'payout', collection: 'deposit' } as const

it('collects with a code that the payer makes first, and asks for nothing before it is here', async () => {
  await setCurrencies(service.ctx, service.business.tenants.staging, { on: ['XOF'], off: [] })
  const [phoneNumber, reference] = ['+22607123450', newReference()]
  fake.script(phoneNumber, { words: [] })
  expectSuccess(await service.staging.post('/v1/momo/collection', { reference, amount: 1_500, phoneNumber }))
  await untilMomo(service.staging, 'collection', reference, 'OTP_REQUIRED')
  expect(fake.paymentsOf(phoneNumber)).toEqual([])
  expectSuccess(await service.staging.post('/v1/momo/collection/verify-otp', { reference, otp: '482913' }))
  await untilHolds(() => expect(fake.paymentsOf(phoneNumber)).toMatchObject([{ code: '482913', amount: '1500' }]))
  await tell(present(fake.paymentsOf(phoneNumber)[0], 'it arrived').id)
  await untilMomo(service.staging, 'collection', reference, 'SUCCESS')
  await expectOnce(reference, phoneNumber, 'momo.collection.success')
})
