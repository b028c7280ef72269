// The service gives every error example of docs/openapi.json word for word.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { createKey } from '#businesses/keys.ts'
import { unrestricted } from '#businesses/keyring.ts'
import { setLimits } from '#payments/limits.ts'
import { pausePayouts, resumePayouts } from '#payments/brakes.ts'
import { eraseCustomer } from '#privacy/erase.ts'
import { untilPaused } from '#tests/payments/requests.ts'
import { createClient, expectSuccess, type Answer, type CallOptions } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startReceiver, type Receiver } from '#tests/support/receiver.ts'
import { useService } from '#tests/support/service.ts'
import { operationOf, operations, resolved, type Json, type Operation } from './document.ts'
import { createStory, pathOf } from './story.ts'

// The test is the proxy that the service trusts, so that it can call from an address of the examples.
const service = await useService({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
const { tenants } = service.business
const { secret } = await createKey(service.ctx, tenants.staging, 'Elsewhere', { ...unrestricted, allow: ['192.0.2.1'] })
const elsewhere = createClient(`${service.url}/staging`, secret)
const story = createStory(service.staging)
const stranger = createClient(`${service.url}/staging`)
let receiver: Receiver

/** These happen on an overloaded or broken server; tests/api/rate-limit, overload and pipeline cause them. */
const untried = new Set(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'])

type Shown = { id: string; code: string; error: { message: string } }

const shown: Shown[] = operations.flatMap(({ id, operation }) =>
  Object.entries(operation['responses'] as Json)
    .filter(([status]) => status !== '200')
    .flatMap(([, answer]) => Object.entries(resolved(answer)['content']['application/json'].examples as Json))
    .filter(([code]) => !untried.has(code))
    .map(([code, example]) => ({ id, code, error: resolved(example)['value'].error as Shown['error'] })),
)

type Asked = { path?: string; body?: unknown; headers?: Record<string, string>; as?: typeof stranger }

const requestOf = ({ operation }: Operation): Json | undefined =>
  operation['requestBody']?.content['application/json'].example

/** The example request with some fields changed. */
const changed = (id: string, changes: Json): Asked => ({ body: { ...requestOf(operationOf(id)), ...changes } })
const aBody = { headers: { 'Content-Type': 'application/json' } }

/** How a test causes each code, at every operation that has it. */
const usual: Record<string, (operation: Operation, error: Shown['error']) => Asked> = {
  UNAUTHORIZED: () => ({ as: stranger }),
  UNSUPPORTED_API_VERSION: () => ({ headers: { 'X-API-Version': 'v2' } }),
  PARSE_ERROR: () => ({ body: '{}' }),
  FORBIDDEN: (_operation, { message }) =>
    message.includes('simulator')
      ? { as: service.production }
      : { as: elsewhere, headers: { 'X-Forwarded-For': '203.0.113.7' } },
  LIMIT_EXCEEDED: ({ id }) => changed(id, { reference: 'X-1', amount: 100_001 }),
  PAYOUTS_PAUSED: ({ id }) => (id === 'initiateTransfers' ? {} : changed(id, { reference: 'X-1' })),
  VALIDATION_ERROR: ({ path, operation }, error) => {
    const whole = pathOf(path, operation)
    if (error.message.includes('NUL')) return { path: `${whole}?x=%00` }
    if (error.message.includes('page')) return { path: `${path}?page=0` }
    return error.message === 'Reference is required'
      ? { path: path.replace('{reference}', '%20') }
      : { path: whole.split('?')[0] ?? '', body: {} }
  },
  PAYLOAD_TOO_LARGE: (_operation, error) => ({
    ...aBody,
    body: Buffer.alloc(Number(/\d+/.exec(error.message)?.[0]) * 1024 + 1, ' '),
  }),
  INVALID_BANK: ({ id }) => changed(id, { reference: 'X-1', bankSlug: 'gtbank' }),
  INVALID_OPERATOR: ({ id }) => changed(id, { reference: 'X-1', operator: 'mtn' }),
  INSUFFICIENT_BALANCE: ({ id }) => changed(id, { reference: 'X-1', amount: 200_000_000_000_000 }),
  CONFLICT: ({ id }) => changed(id, {}),
  ...Object.fromEntries(
    ['NOT_FOUND', 'TRANSFER_NOT_FOUND', 'COLLECTION_NOT_FOUND'].map((code) => [
      code,
      ({ path }: Operation) => ({ path: path.replace(/\{\w+\}/, 'NOBODY') }),
    ]),
  ),
}

const dynamicNumber = (): string => String(requestOf(operationOf('simulateDeposit'))?.['accountNumber'])

/** How a test causes a code at one operation. */
const particular: Record<string, () => Asked> = {
  'openStaticAccount NOT_FOUND': () => changed('openStaticAccount', { customerReference: 'NOBODY' }),
  'updateCustomer CONFLICT': () => ({ path: '/v1/customers/ERASED' }),
  'simulateDeposit NOT_FOUND': () => changed('simulateDeposit', { accountNumber: '0000000000' }),
  'verifyCollectionOtp COLLECTION_NOT_FOUND': () => changed('verifyCollectionOtp', { reference: 'NOBODY' }),
  'verifyCollectionOtp INVALID_OTP': () => changed('verifyCollectionOtp', { otp: '000000' }),
  'verifyCollectionOtp OTP_EXPIRED': () => changed('verifyCollectionOtp', { reference: 'LATE' }),
  'verifyCollectionOtp CONFLICT': () => changed('verifyCollectionOtp', { reference: 'COLLECT-1008' }),
  'resolveBankAccount INVALID_BANK': () => ({ path: '/v1/bank/resolve?accountNumber=0123456789&bankSlug=gtbank' }),
  'resolveBankAccount ACCOUNT_NOT_RESOLVED': () => ({
    path: '/v1/bank/resolve?accountNumber=9990000007&bankSlug=guaranty-trust-bank',
  }),
  'resolvePhoneNumber INVALID_OPERATOR': () => ({ path: '/v1/momo/resolve?phoneNumber=08030000000&operator=mtn' }),
  'resolvePhoneNumber PHONE_NOT_RESOLVED': () => ({ path: '/v1/momo/resolve?phoneNumber=08000000005' }),
  'initiateTransfer CONFLICT': () => changed('initiateTransfer', { amount: 200_000 }),
  'initiateMomoTransfer CONFLICT': () => changed('initiateMomoTransfer', { amount: 200_000 }),
  'initiateMomoCollection CONFLICT': () => changed('initiateMomoCollection', { amount: 200_000 }),
  'closeVirtualAccount CONFLICT': () => ({ path: `/v1/virtual-accounts/${dynamicNumber()}` }),
  'settleDeposit CONFLICT': () => changed('settleDeposit', { status: 'FAILED' }),
  'completeTransfer CONFLICT': () => changed('completeTransfer', { status: 'SUCCESS' }),
  'completeMomoTransfer CONFLICT': () => changed('completeMomoTransfer', { status: 'SUCCESS' }),
  'completeMomoCollection CONFLICT': () => changed('completeMomoCollection', { status: 'SUCCESS' }),
  'retryWebhookDelivery CONFLICT': () => ({ body: {} }),
}

async function send({ id, code, error }: Shown): Promise<Answer> {
  const operation = operationOf(id)
  const make = particular[`${id} ${code}`] ?? (() => usual[code]?.(operation, error))
  const { path, body = requestOf(operation), headers, as = service.staging } = make() ?? {}
  const options: CallOptions = { method: operation.method, ...(headers === undefined ? {} : { headers }) }
  const inWords = typeof body === 'object' && !Buffer.isBuffer(body) ? story.translated(body) : body
  return as.call(story.translated(path ?? pathOf(operation.path, operation.operation)), { ...options, body: inWords })
}

async function expectAsShown(one: Shown): Promise<void> {
  const answer = await send(one)
  const said = { asked: `${one.id} ${one.code}`, error: answer.body.error }
  expect(said).toEqual({ asked: `${one.id} ${one.code}`, error: story.translated(one.error) })
}

const comesLast = ({ id, code }: Shown): boolean => id === 'createWebhook' && code === 'CONFLICT'
const comesFirst = ({ code }: Shown): boolean => code === 'INSUFFICIENT_BALANCE'
/** Errors that only an operator's settings cause. */
const isSet = ({ code }: Shown): boolean => code === 'LIMIT_EXCEEDED' || code === 'PAYOUTS_PAUSED'

beforeAll(async () => {
  receiver = await startReceiver()
  const { url } = requestOf(operationOf('createWebhook')) ?? {}
  story.learn(url, receiver.url('/webhooks'))
})
afterAll(async () => {
  stranger.close()
  elsewhere.close()
  await receiver.close()
})

it('nothing is forgotten: every code of every operation is shown', () => {
  expect(shown.length).toBeGreaterThan(200)
  expect(shown.filter(({ error }) => error === undefined)).toEqual([])
})

it('a payment that a new business cannot afford is refused as shown', async () => {
  for (const one of shown.filter(comesFirst)) await expectAsShown(one)
})

it('a payment that limits or pauses stop is refused as shown', async () => {
  await setLimits(service.ctx, tenants.staging, { perPayment: toMoney(100_000) })
  for (const one of shown.filter(({ code }) => code === 'LIMIT_EXCEEDED')) await expectAsShown(one)
  await setLimits(service.ctx, tenants.staging, { perPayment: null })
  await pausePayouts(service.ctx, {})
  await untilPaused(service.staging, true)
  for (const one of shown.filter(({ code }) => code === 'PAYOUTS_PAUSED')) await expectAsShown(one)
  await resumePayouts(service.ctx, [tenants.staging.lane], {})
  await untilPaused(service.staging, false)
})

it('everything else is refused as shown, beside the records of the examples', async () => {
  expectSuccess(await collect('LATE', '08000000009'))
  await playTheRecords()
  expectSuccess(await service.staging.post('/v1/customers', { reference: 'ERASED', firstName: 'Ada', lastName: 'Obi' }))
  await eraseCustomer(service.ctx, tenants.staging, { reference: 'ERASED', note: 'test' })
  const { otpExpiresAt } = expectSuccess(await service.staging.get('/v1/momo/collection/LATE'))
  await untilHolds(() => expect(Date.now()).toBeGreaterThan(Date.parse(otpExpiresAt)))
  for (const one of shown.filter((each) => !comesFirst(each) && !isSet(each) && !comesLast(each)))
    await expectAsShown(one)
})

it('one subscription too many is refused as shown', async () => {
  const { path } = operationOf('createWebhook')
  for (let made = 1; made < 20; made += 1) {
    expectSuccess(await service.staging.post(path, story.translated(requestOf(operationOf('createWebhook')))))
  }
  for (const one of shown.filter(comesLast)) await expectAsShown(one)
})

const collect = (reference: string, phoneNumber: string): Promise<Answer> =>
  service.staging.post('/v1/momo/collection', { reference, amount: 120_000, phoneNumber })

async function playTheRecords(): Promise<void> {
  for (const id of ['createWebhook', 'initiateTransfer', 'getTransfer', 'listWebhookDeliveries']) await story.play(id)
  for (const id of ['initiateTransfers', 'completeTransfer', 'createCustomer']) await story.play(id)
  for (const id of ['openStaticAccount', 'openDynamicAccount']) await story.play(id, { learns: ['accountNumber'] })
  for (const id of ['simulateDeposit', 'initiateMomoTransfer', 'initiateMomoCollection']) await story.play(id)
  const unending = { reference: 'MOMO-1008', amount: 50_000, phoneNumber: '08000000008' }
  expectSuccess(await service.staging.post('/v1/momo/transfer', unending))
  expectSuccess(await collect('COLLECT-1008', '08000000008'))
  for (const id of ['completeMomoTransfer', 'completeMomoCollection']) await story.play(id)
  const settled = operationOf('settleDeposit').operation['parameters'][0].example
  const deposited = operationOf('getDeposit').operation['parameters'][0].example
  story.learn(settled, story.translated(deposited))
}
