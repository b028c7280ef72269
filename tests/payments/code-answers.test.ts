// One-time codes: the effect of each answer of an operator, and of a code that the service does not pass on.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createInflows } from '#deposits/from-collection.ts'
import { depositFees } from '#deposits/fees.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { transferFees } from '#payments/fees.ts'
import { createPayments, type Payments } from '#payments/service.ts'
import type { MomoCollection, OtpAnswer, Rail } from '#rails/rail.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, rowOf, startProcess, until, type Process } from './process.ts'

const database = await useTestDatabase()
const validMs = 600_000
const clock = createFakeClock()
let process: Process
let tenant: Tenant
let codes: string[]
let answer: () => OtpAnswer | Promise<OtpAnswer>

const operator: MomoCollection = {
  submitLeaseMs: 1_000,
  approval: () => ({ kind: 'otp', validMs }),
  submit: async () => ({ kind: 'otp-required', expiresAtMs: clock.now() + validMs }),
  status: async () => ({ kind: 'pending' }),
  submitOtp: async (_order, code) => {
    codes.push(code)
    return answer()
  },
}

const start = (): Process =>
  startProcess({
    database,
    clock,
    rail: createScriptedPayout(clock),
    ports: { momoCollection: operator },
    leasesNew: false,
  })

/** A payments service with these keys, with or without the operator. */
function paymentsWith({ ctx, lanes }: Process, secretKeys: Buffer[], ports: Pick<Rail, 'momoCollection'>): Payments {
  const fake: Rail = { name: 'fake', payout: createScriptedPayout(clock), ...ports }
  const rails = createRailRegistry({ clock, settleMs: 1_000, rails: { production: [fake] }, onLate: () => undefined })
  const inflows = createInflows(ctx, depositFees)
  const means = {
    ctx,
    rails,
    laneOf: lanes.of,
    events: createEventOutbox(clock),
    fees: transferFees,
    inflows,
    secretKeys,
  }
  return createPayments({ ...means, leasesNew: false, leasesMax: 10 })
}

const keyOf = (byte: number) => Buffer.alloc(32, byte)

beforeEach(async () => {
  await asOwner(database, 'truncate payment, event, review_item')
  codes = []
  answer = () => ({ kind: 'wrong' })
  process = start()
  tenant = await createTenant(process)
})

async function collect(): Promise<string> {
  const { reference, amount, currency, narration, metadata } = requestOf()
  const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }
  const asked = { reference, amount, currency, narration, metadata, ...wallet }
  expect(await process.payments.collect(tenant, asked)).toMatchObject({ payment: { status: 'OTP_REQUIRED' } })
  return reference
}

const verify = (reference: string, code = '123456', payments = process.payments) =>
  payments.verifyOtp(tenant, reference, code)
type Kept = { otp_tries: number; otp_wrong: number; otp_accepted_at: Date | null }
const kept = async (reference: string) =>
  (await asOwner<Kept>(database, 'select * from payment where reference = $1', [reference]))[0]

describe('a code that its operator accepts', () => {
  it.each([
    [{ kind: 'pending' as const }, 5_000],
    [{ kind: 'pending' as const, askAgainAfterMs: 700 }, 700],
    // The code has left, so the limit of codes in progress plays no part.
    [{ kind: 'unknown' as const, detail: 'no answer', askAgainAfterMs: 700 }, 5_000],
  ])('makes the collection due for a look when that says (%j)', async (state, ms) => {
    const reference = await collect()
    answer = () => ({ kind: 'accepted', state })
    expect(await verify(reference)).toMatchObject({ kind: 'accepted', payment: { status: 'PENDING' } })
    expect((await rowOf(database, reference)).due_at).toEqual(new Date(clock.now() + ms))
  })

  it.each([
    [
      { kind: 'succeeded' as const, operatorReference: 'OP-1' },
      { status: 'SUCCESS', operatorReference: 'OP-1' },
    ],
    [
      { kind: 'failed' as const, reason: 'INSUFFICIENT_FUNDS' as const },
      { status: 'FAILED', failureReason: 'INSUFFICIENT_FUNDS' },
    ],
  ])('ends the collection where that says so at once (%j)', async (state, ended) => {
    const reference = await collect()
    answer = () => ({ kind: 'accepted', state })
    expect(await verify(reference)).toMatchObject({
      kind: 'accepted',
      payment: { ...ended, otpAcceptedAt: new Date(clock.now()) },
    })
  })

  it('is known when it comes again, under a key of before too; another one is not', async () => {
    const reference = await collect()
    answer = () => ({ kind: 'accepted', state: { kind: 'pending' } })
    await verify(reference)
    answer = () => ({ kind: 'wrong' })
    const changed = paymentsWith(process, [keyOf(9), keyOf(7)], { momoCollection: operator })
    const forgotten = paymentsWith(process, [keyOf(9)], { momoCollection: operator })
    expect((await verify(reference)).kind).toBe('accepted')
    expect((await verify(reference, '123456', changed)).kind).toBe('accepted')
    expect((await verify(reference, '654321')).kind).toBe('not-waiting')
    expect((await verify(reference, '123456', forgotten)).kind).toBe('not-waiting')
    expect(codes).toEqual(['123456'])
  })

  it('is kept under the first key', async () => {
    const reference = await collect()
    answer = () => ({ kind: 'accepted', state: { kind: 'pending' } })
    await verify(reference, '123456', paymentsWith(process, [keyOf(9), keyOf(7)], { momoCollection: operator }))
    expect((await verify(reference)).kind).toBe('not-waiting')
  })

  it('after the collection failed is a contradiction, which is counted, and changes nothing', async () => {
    const reference = await collect()
    const answered = Promise.withResolvers<OtpAnswer>()
    answer = () => answered.promise
    const verified = verify(reference)
    await until(() => codes.length === 1, 'the code is with the operator')
    await process.payments.complete(tenant, reference, { kind: 'failed', reason: 'EXPIRED' })
    answered.resolve({ kind: 'accepted', state: { kind: 'pending' } })
    expect(await verified).toMatchObject({ kind: 'not-waiting', payment: { status: 'FAILED', otpAcceptedAt: null } })
    expect((await process.ctx.metrics.paymentsContradicted.get()).values).toMatchObject([{ value: 1 }])
  })
})

describe('a wrong code', () => {
  it('tells how many are left, and the third ends the collection', async () => {
    const reference = await collect()
    for (const attemptsLeft of [2, 1, 0]) expect(await verify(reference)).toEqual({ kind: 'wrong', attemptsLeft })
    const ended = { status: 'FAILED', failureReason: 'OTP_ATTEMPTS_EXCEEDED' }
    expect(await verify(reference)).toMatchObject({ kind: 'not-waiting', payment: ended })
    expect(codes).toHaveLength(3)
  })

  it('does not count for a collection that ended meanwhile', async () => {
    const reference = await collect()
    const answered = Promise.withResolvers<OtpAnswer>()
    answer = () => answered.promise
    const verified = verify(reference)
    await until(() => codes.length === 1, 'the code is with the operator')
    await process.payments.complete(tenant, reference, { kind: 'succeeded', operatorReference: 'OP-1' })
    answered.resolve({ kind: 'wrong' })
    expect(await verified).toMatchObject({ kind: 'not-waiting', payment: { status: 'SUCCESS' } })
  })
})

describe('a code that is not decided', () => {
  it.each<[OtpAnswer, string]>([
    [{ kind: 'unknown', detail: 'no answer' }, 'unavailable'],
    [{ kind: 'expired' }, 'expired'],
    [{ kind: 'not-waiting' }, 'not-waiting'],
  ])('does not count, and its operator is asked at once (%j)', async (said, kind) => {
    const reference = await collect()
    answer = () => said
    expect((await verify(reference)).kind).toBe(kind)
    expect(await kept(reference)).toMatchObject({ otp_tries: 0, otp_wrong: 0, due_at: new Date(clock.now()) })
  })

  it('because its operator is not configured any more does not count', async () => {
    const reference = await collect()
    expect(await verify(reference, '123456', paymentsWith(process, [keyOf(7)], {}))).toEqual({ kind: 'unavailable' })
    expect(await kept(reference)).toMatchObject({ otp_tries: 0, otp_wrong: 0 })
  })
})

describe('a code that is not taken to its operator', () => {
  it('is wrong for a payment that is no collection', async () => {
    const request = requestOf()
    await process.payments.initiate(tenant, request)
    expect(await verify(request.reference)).toEqual({ kind: 'not-found' })
    expect(await verify('NO-SUCH')).toEqual({ kind: 'not-found' })
  })

  it('is one that comes when its time is over, to the millisecond', async () => {
    const reference = await collect()
    clock.advance(validMs - 1)
    expect(await verify(reference)).toEqual({ kind: 'wrong', attemptsLeft: 2 })
    clock.advance(1)
    expect(await verify(reference)).toEqual({ kind: 'expired' })
    await process.payments.complete(tenant, reference, { kind: 'otp-expired' })
    expect((await rowOf(database, reference)).failure_reason).toBe('OTP_EXPIRED')
    expect(await verify(reference)).toEqual({ kind: 'expired' })
    expect(codes).toHaveLength(1)
  })

  it('is one while others ask about all three', async () => {
    const reference = await collect()
    const answered = Promise.withResolvers<OtpAnswer>()
    answer = () => answered.promise
    const others = [start(), start(), start()]
    const asked = others.map(({ payments }) => verify(reference, '111111', payments))
    await until(() => codes.length === 3, 'three codes are with the operator')
    expect(await verify(reference)).toEqual({ kind: 'unavailable' })
    answered.resolve({ kind: 'accepted', state: { kind: 'pending' } })
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toContain('accepted')
    expect(codes).toHaveLength(3)
  })
})
