// The whole service with Paystack in place of the simulator: its notices end payments and make deposits.

import { afterAll, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { systemClock } from '#platform/clock.ts'
import { createNet } from '#platform/http-client/client.ts'
import { createPaystack } from '#rails/paystack/paystack.ts'
import { eventsOf, newCustomer } from '#tests/deposits/requests.ts'
import { newReference, transferBody, untilStatus } from '#tests/payments/requests.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { asOwner, moved } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const fake = await startFakePaystack()
const net = createNet()
const paystack = createPaystack({
  name: 'paystack',
  secretKey: paystackTestKey,
  emailDomain: 'pay.example.com',
  baseUrl: fake.url,
  net,
  clock: systemClock,
})
const service = await useService({ rails: { staging: [paystack] } })
const provider = createClient(service.url)
afterAll(async () => {
  provider.close()
  await Promise.all([net.close(), fake.close()])
})

async function tell(event: string, data: Record<string, unknown>): Promise<void> {
  const { headers, rawBody } = fake.sign(JSON.stringify({ event, data }))
  const options = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: rawBody }
  expect(await provider.call('/staging/rails/paystack/notices', options)).toMatchObject({ status: 200, text: '{}' })
}

it('transfer.success ends a payment with its session id, and transfer.reversed returns it later', async () => {
  const [accountNumber, reference] = ['0123456789', newReference()]
  fake.script(accountNumber, { fate: 'pending' })
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference, accountNumber })))
  await untilHolds(() => expect(fake.transfersTo(accountNumber)).toHaveLength(1))
  const transfer = present(fake.transfersTo(accountNumber)[0], 'the transfer arrived')

  fake.script(accountNumber, { fate: 'success' })
  await tell('transfer.success', { reference: transfer.reference, status: 'success', amount: 150_000 })
  expect(await untilStatus(service.staging, reference, 'SUCCESS')).toMatchObject({ sessionId: '9'.repeat(30) })

  fake.script(accountNumber, { fate: 'reversed' })
  await tell('transfer.reversed', { reference: transfer.reference, status: 'reversed', amount: 150_000 })
  await untilStatus(service.staging, reference, 'REVERSED')
  expect(fake.faults).toEqual([])
})

it('charge.success for a customer’s account becomes one deposit, whatever other notices come', async () => {
  const { reference: customerReference } = await newCustomer(service.staging, { phoneNumber: '+2348030000000' })
  const account = expectSuccess(await service.staging.post('/v1/virtual-accounts/static', { customerReference }))
  const charge = { reference: 'T-1', id: '90000000000000017', amount: 250_000, accountNumber: account.accountNumber }
  fake.pay(charge)
  const told = { channel: 'dedicated_nuban', reference: charge.reference, amount: 1 }
  await tell('charge.success', told)
  await tell('charge.success', { ...told, again: true })
  await untilHolds(async () => {
    const { values } = await service.ctx.metrics.railNotices.get()
    const done = values.find(({ labels }) => labels.rail === 'paystack' && labels.outcome === 'done')
    expect(done?.value).toBe(4)
  })
  const deposits = expectSuccess(await service.staging.get('/v1/deposits'))
  expect(deposits).toMatchObject({
    deposits: [{ amount: 250_000, status: 'SUCCESSFUL', recipientAccountNumber: account.accountNumber }],
  })
  expect(deposits.deposits).toHaveLength(1)
  expect(fake.faults).toEqual([])
})

it('charge.success of an account for one payment becomes the deposit that completes it', async () => {
  const body = { amount: 250_000, reference: newReference(), expiresInMinutes: 30 }
  const account = expectSuccess(await service.staging.post('/v1/virtual-accounts/dynamic', body))
  const charge = present(fake.charges.made().at(-1), 'a charge was made')
  expect(account).toMatchObject({ accountNumber: charge.number, bankSlug: 'titan-paystack' })
  fake.pay({ reference: charge.reference, id: '90000000000000018', amount: 250_000 })
  await tell('charge.success', { channel: 'bank_transfer', reference: charge.reference, amount: 1 })
  await untilHolds(async () => {
    const paid = expectSuccess(await service.staging.get(`/v1/virtual-accounts/${charge.number}`))
    expect(paid).toMatchObject({ status: 'COMPLETED' })
  })
  const deposits = expectSuccess(await service.staging.get(`/v1/deposits?accountNumber=${charge.number}`))
  expect(deposits).toMatchObject({ deposits: [{ amount: 250_000, status: 'SUCCESSFUL' }] })
  expect(fake.faults).toEqual([])
})

async function sendSlowly(script: Parameters<typeof fake.script>[1]) {
  const [accountNumber, reference] = [String(Date.now()).slice(-10), newReference()]
  fake.script(accountNumber, script)
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference, accountNumber })))
  await untilHolds(() => expect(fake.transfersTo(accountNumber)).toHaveLength(1))
  const transfer = present(fake.transfersTo(accountNumber)[0], 'it arrived')
  return { reference, ours: transfer.reference, transfer }
}

it('a transfer that Paystack refused with an unknown message, made all the same and shows late, never fails', async () => {
  const refused = { message: 'We could not complete this transfer at the moment', done: true } as const
  fake.meet(/^GET .*\/verify\//, 'missing')
  const { reference, ours } = await sendSlowly({ submit: [refused] })
  await untilHolds(() => expect(fake.met()).toBe(true))
  await tell('transfer.success', { reference: ours })
  await untilStatus(service.staging, reference, 'SUCCESS')
  expect(await eventsOf(service.database, reference)).toMatchObject([{ name: 'transfer.success' }])
  expect(fake.repeats).toEqual([])
})

it('transfer.success before the answer to the transfer itself ends the payment once', async () => {
  const { reference, ours } = await sendSlowly({ submit: ['late'] })
  await tell('transfer.success', { reference: ours })
  await untilStatus(service.staging, reference, 'SUCCESS')
  expect(fake.repeats).toEqual([])
  expect(fake.faults).toEqual([])
})

it('a notice of a return that overtakes that of the success fails the payment when Paystack says so, too', async () => {
  const { reference, ours, transfer } = await sendSlowly({ fate: 'pending' })
  // From here on each question is answered with 'reversed', also one that the service asks by itself before the notices.
  transfer.looks += 1
  fake.script(transfer.accountNumber, { fate: 'reversed' })
  await tell('transfer.reversed', { reference: ours })
  await tell('transfer.success', { reference: ours })
  await untilStatus(service.staging, reference, 'FAILED')
  expect(fake.faults).toEqual([])
})

it('refund.processed ends a refund hours before it would be asked about', async () => {
  const { reference: customerReference } = await newCustomer(service.staging, { phoneNumber: '+2348030000000' })
  const account = expectSuccess(await service.staging.post('/v1/virtual-accounts/static', { customerReference }))
  expectSuccess(await service.staging.delete(`/v1/virtual-accounts/${account.accountNumber}`))
  fake.refunds.word = 'processing'
  fake.pay({
    reference: 'T-9',
    id: '90000000000000019',
    amount: 250_000,
    accountNumber: account.accountNumber,
    paidAtMs: Date.now(),
  })
  await tell('charge.success', { channel: 'dedicated_nuban', reference: 'T-9', amount: 250_000 })
  const refund = async () =>
    (await asOwner<{ status: string; due_at: Date }>(service.database, 'select status, due_at from deposit_refund'))[0]
  await untilHolds(async () => expect(await refund()).toMatchObject({ status: 'ASKED' }))
  await untilHolds(() => expect(fake.refunds.made()).toHaveLength(1))
  await asOwner(service.database, `update deposit_refund set ${moved('due_at', '6 h')}`)
  Object.assign(present(fake.refunds.made()[0], 'a refund was made'), { status: 'processed' })
  await tell('refund.processed', { status: 'processed', transaction_reference: 'T-9', amount: '250000' })
  await untilHolds(async () => expect(await refund()).toMatchObject({ status: 'REFUNDED', due_at: null }))
  expect(fake.refunds.made()).toHaveLength(1)
  expect(fake.faults).toEqual([])
})
