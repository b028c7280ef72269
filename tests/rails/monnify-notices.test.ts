// Notices of Monnify: which ones are genuine, and what they may change.

import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { createNet } from '#platform/http-client/client.ts'
import { timeIn } from '#rails/monnify/answers.ts'
import { createMonnify } from '#rails/monnify/monnify.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { describeInbound, noticeAddress } from './conformance.ts'
import vectors from './fixtures/monnify-notices.json' with { type: 'json' }

const clock = createFakeClock()
const monnify = await startFakeMonnify(clock)
const net = createNet()
const options = { name: 'monnify', ...monnifyKeys, contractCode: '7059707855', baseUrl: monnify.url, net, clock }
const rail = createMonnify({ ...options, trust: 'signed' })
afterAll(() => Promise.all([net.close(), monnify.close()]))
afterEach(() => {
  if (monnify.faults.length > 0) throw new Error(`Monnify would have refused: ${monnify.faults.join('; ')}`)
})

const reference = 'MNFY|04|20261120100000|000170'
monnify.pay({ reference, naira: '21474836.48' })
monnify.accounts.put('R1', '6000140770')
const paid = (changes: object = {}) =>
  JSON.stringify({
    eventType: 'SUCCESSFUL_TRANSACTION',
    eventData: {
      transactionReference: reference,
      paymentMethod: 'ACCOUNT_TRANSFER',
      amountPaid: 1,
      destinationAccountInformation: { bankCode: '50515', accountNumber: '6000140770' },
      paymentSourceInformation: [{ accountName: 'CHIDI OKE', accountNumber: '0123456789' }],
      ...changes,
    },
  })

describeInbound('Monnify', {
  inbound: rail.inbound,
  genuine: monnify.sign(paid()),
  signedNonsense: monnify.sign('{"amount":1}'),
})

describe('notices', () => {
  const read = (body: string) => rail.inbound.read(Buffer.from(body))
  const genuine = createMonnify({ ...options, secretKey: vectors.key, trust: 'signed' }).inbound
  const reread = createMonnify({ ...options, trust: 'reread' }).inbound

  it.each(vectors.genuine)('$name: genuine, in capitals or not', ({ body, signature }) => {
    for (const written of [signature, signature.toUpperCase()])
      expect(genuine.verify({ 'monnify-signature': written }, Buffer.from(body), noticeAddress)).toBe('genuine')
  })

  it.each(vectors.refused)('$name: forged', ({ body, signature }) => {
    const headers = signature === null ? {} : { 'monnify-signature': signature }
    expect(genuine.verify(headers, Buffer.from(body), noticeAddress)).toBe('forged')
  })

  it('without a signature are unsigned where that was agreed, and with a wrong one forged also there', () => {
    expect(reread.verify({}, Buffer.from(paid()), noticeAddress)).toBe('unsigned')
    expect(reread.verify({ 'monnify-signature': 'zz' }, Buffer.from(paid()), noticeAddress)).toBe('forged')
    expect(reread.verify(monnify.sign(paid()).headers, Buffer.from(paid()), noticeAddress)).toBe('genuine')
  })

  const deposit = {
    provider: 'monnify',
    providerId: reference,
    account: { number: '6000140770' },
    amount: 2_147_483_648n,
    currency: 'NGN',
    status: 'SUCCESSFUL',
    senderAccountName: 'CHIDI OKE',
    senderAccountNumber: '0123456789',
    senderBankName: '',
    narration: 'order 7',
    occurredAtMs: Date.parse('2026-11-20T09:00:00.615Z'),
  }

  it('take the amount of a deposit from the transaction that Monnify returns', async () => {
    expect(await read(paid())).toEqual({ kind: 'notices', notices: [{ about: 'deposit', deposit }] })
  })

  it('take only the reference of the transaction from an unsigned one', async () => {
    const unsigned = { ...deposit, senderAccountNumber: '******6789' }
    const answer = await reread.read(Buffer.from(paid()))
    expect(answer).toEqual({ kind: 'notices', notices: [{ about: 'deposit', deposit: unsigned }] })
    const elsewhere = paid({ destinationAccountInformation: { accountNumber: '6999999999' } })
    expect(await reread.read(Buffer.from(elsewhere))).toMatchObject({ kind: 'unavailable' })
  })

  it('are unavailable if they are unsigned and Monnify does not know the reservation', async () => {
    monnify.pay({ reference: 'T-nowhere', naira: '1.00', reservation: 'R-unknown' })
    const body = paid({ transactionReference: 'T-nowhere' })
    expect(await reread.read(Buffer.from(body))).toMatchObject({ kind: 'unavailable' })
  })

  it.each(['OVERPAID', 'PARTIALLY_PAID'])(
    'of a transaction that is %s are a deposit of what was paid',
    async (status) => {
      monnify.pay({ reference: status, naira: '7.00', status, paidOn: '20/11/2026 10:01:00 AM' })
      const answer = await read(paid({ transactionReference: status }))
      expect(answer).toMatchObject({ notices: [{ deposit: { amount: 700n, status: 'SUCCESSFUL' } }] })
    },
  )

  it('of a transaction that ended otherwise credit nothing', async () => {
    monnify.pay({ reference: 'T2', naira: '1.00', status: 'EXPIRED' })
    expect(await read(paid({ transactionReference: 'T2' }))).toMatchObject({ notices: [{ about: 'other' }] })
  })

  it('that cannot be confirmed now are for later', async () => {
    monnify.pay({ reference: 'T3', naira: '1.00', status: 'PENDING' })
    monnify.pay({ reference: 'T4', naira: '1.005' })
    monnify.pay({ reference: 'T5', naira: '1.00', paidOn: 'today' })
    for (const transactionReference of ['T3', 'T4', 'T5', 'T-unknown'])
      expect(await read(paid({ transactionReference })), transactionReference).toMatchObject({ kind: 'unavailable' })
    monnify.pay({ reference: 'T6', naira: '1.00', reservation: 'R-unknown' })
    const nowhere = paid({ transactionReference: 'T6', destinationAccountInformation: {} })
    expect(await read(nowhere)).toMatchObject({ kind: 'unavailable' })
  })

  it.each([
    ['SUCCESSFUL', 'succeeded'],
    ['FAILED', 'failed'],
    ['REVERSED', 'reversed'],
  ])('%s_DISBURSEMENT is a reason to ask, and says %s', async (word, says) => {
    const body = present(
      vectors.genuine.find((one) => one.name === `${word.toLowerCase()}_disbursement`),
      'there is a vector',
    ).body
    const railReference = '08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e'
    expect(await read(body)).toEqual({ kind: 'notices', notices: [{ about: 'payment', railReference, says }] })
  })

  it.each([
    ['SUCCESSFUL_REFUND', {}],
    ['FAILED_REFUND', { says: 'failed' }],
  ])('%s names the money that it is about', async (eventType, says) => {
    const about = (eventData: object) => read(JSON.stringify({ eventType, eventData }))
    expect(await about({ transactionReference: 'MNFY|1', refundStatus: 'COMPLETED' })).toEqual({
      kind: 'notices',
      notices: [{ about: 'refund', provider: 'monnify', providerId: 'MNFY|1', ...says }],
    })
    expect(await about({})).toEqual({ kind: 'unreadable' })
  })

  it('of other kinds are stored under their names', async () => {
    const names = ['rejected_payment', 'successful_transaction_empty_source_object']
    const bodies = vectors.genuine.filter(({ name }) => names.includes(name)).map(({ body }) => body)
    expect(await Promise.all(bodies.map(read))).toEqual([
      { kind: 'notices', notices: [{ about: 'other', name: 'transaction by CASH' }] },
      { kind: 'notices', notices: [{ about: 'other', name: 'REJECTED_PAYMENT' }] },
    ])
    // Every object has a property of this name.
    expect(await read('{"eventType":"constructor","eventData":{}}')).toMatchObject({
      notices: [{ name: 'constructor' }],
    })
  })
})

it.each([
  ['2026-11-20 10:00:00.615', '2026-11-20T09:00:00.615Z'],
  ['2026-11-20 00:30:00.0', '2026-11-19T23:30:00.000Z'],
  ['20/11/2026 9:05:06 AM', '2026-11-20T08:05:06.000Z'],
  ['20/11/2026 12:00:01 AM', '2026-11-19T23:00:01.000Z'],
  ['20/11/2026 12:00:01 PM', '2026-11-20T11:00:01.000Z'],
  ['20/11/2026 11:35:21', '2026-11-20T10:35:21.000Z'],
  ['2026-11-20T09:00:00.615+0000', '2026-11-20T09:00:00.615Z'],
])('reads %s as %s', (text, instant) => {
  expect(new Date(present(timeIn(text), 'it is a time')).toISOString()).toBe(instant)
  expect(timeIn(`${text}!`)).toBeUndefined()
  // A line whose time is NaN cannot be stored, and would end the whole comparison of the day.
  expect(timeIn(text.replace(/(?<=[-/])11(?=[-/])/, '13'))).toBeUndefined()
})
