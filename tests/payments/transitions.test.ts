// The moves of payments at their edges: which fields, dates and due times each result changes, and which it leaves.

import { describe, expect, it } from 'vitest'
import { transitionOf, saysNothingNew } from '#payments/transitions.ts'
import type { PaymentOf, PaymentStatus, Result } from '#payments/payment.ts'
import { withProof } from '#payments/service.ts'
import { momoCollectionData, transferData } from '#payments/wire.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { at, bankTransfer, code, collection, handset, momoTransfer, on } from './made.ts'

const minute = 60_000
const inMs = (ms: number): Date => new Date(at.getTime() + ms)
const tried: Result = { kind: 'otp-tried' }
const wrong: Result = { kind: 'otp-wrong' }
const undecided: Result = { kind: 'otp-undecided' }
const expired: Result = { kind: 'otp-expired' }
const accepted: Result = { kind: 'otp-accepted', hash: 'a'.repeat(64), lookAgainMs: 5_000 }
const asked: Result = { kind: 'otp-required', expiresAtMs: at.getTime() + 10 * minute }

type Collection = Partial<PaymentOf<'momo_collection'>>
const waiting = (changes: Collection = {}) => collection(changes, code)
const codeOf = (result: Result, changes: Collection = {}, nowMs = 1_000) =>
  transitionOf(waiting(changes), result, on(inMs(nowMs)))

describe('a success', () => {
  it('is the end, and due for nothing, unless its rail wants to be asked again', () => {
    expect(transitionOf(bankTransfer(), { kind: 'succeeded' }, on(at))?.dueAt).toBeNull()
    expect(transitionOf(bankTransfer(), { kind: 'succeeded', lookAgainMs: 9_000 }, on(at))?.dueAt).toEqual(inMs(9_000))
  })

  it('of a collection brings money in, of a transfer it does not', () => {
    const inflows = [collection(), bankTransfer(), momoTransfer()].map(
      (payment) => transitionOf(payment, { kind: 'succeeded' }, on(at))?.isInflow,
    )
    expect(inflows).toEqual([true, false, false])
  })

  it('has the proof of its kind', () => {
    const proofs = { sessionId: '9'.repeat(30), operatorReference: 'OP-1' }
    const moved = [bankTransfer(), momoTransfer(), collection()].map(
      (payment) => transitionOf(payment, { kind: 'succeeded', ...proofs }, on(at))?.payment,
    )
    expect(moved).toMatchObject([
      { sessionId: proofs.sessionId },
      { operatorReference: 'OP-1' },
      { operatorReference: 'OP-1' },
    ])
    expect(moved[0]).not.toHaveProperty('operatorReference')
    expect(moved[1]).not.toHaveProperty('sessionId')
  })

  it('by a tester has a made-up session id if the tester gave none', () => {
    const clock = createFakeClock()
    const tenant = { lane: 1, id: bankTransfer().tenantId, environment: 'staging' as const }
    const told = { kind: 'succeeded', sessionId: 'S', operatorReference: 'O' } as const
    expect(withProof(clock, tenant, 'R', told)).toEqual(told)
    const madeUp = withProof(clock, tenant, 'R', { kind: 'succeeded' })
    expect(madeUp).toMatchObject({
      sessionId: expect.stringMatching(/^\d{30}$/),
      operatorReference: expect.any(String),
    })
    expect(withProof(clock, tenant, 'R', { kind: 'reversed' })).toEqual({ kind: 'reversed' })
  })
})

describe('a code', () => {
  it('is asked for once, of a collection that waits for its payer, and is due when its time ends', () => {
    const [kept] = [transitionOf(collection(), asked, on(at))]
    expect(kept).toMatchObject({
      payment: { status: 'OTP_REQUIRED', otpExpiresAt: inMs(10 * minute) },
      dueAt: inMs(10 * minute),
    })
    expect(codeOf(asked)).toBeUndefined()
    expect(transitionOf(collection({ otpAcceptedAt: at }), asked, on(at))).toBeUndefined()
    expect(transitionOf(collection({ status: 'FAILED' }), asked, on(at))).toBeUndefined()
  })

  it.each([[tried], [wrong], [undecided], [expired]])('%o is nothing to a collection that waits for none', (result) => {
    for (const status of ['PENDING', 'SUCCESS', 'FAILED'] as const)
      for (const otpTries of [1, 2]) expect(codeOf(result, { status, otpTries, otpWrong: 1 })).toBeUndefined()
    expect(transitionOf(bankTransfer(), result, on(at))).toBeUndefined()
  })

  it('counts when it is taken to the operator, and no longer when that does not answer', () => {
    expect(codeOf(tried)).toMatchObject({ payment: { otpTries: 1 }, dueAt: undefined })
    const back = codeOf(undecided, { otpTries: 3, otpWrong: 1 })
    expect(back).toMatchObject({ payment: { otpTries: 2 }, dueAt: inMs(1_000) })
    for (const result of [wrong, undecided]) expect(codeOf(result, { otpTries: 1, otpWrong: 1 })).toBeUndefined()
  })

  it('whose end is not known is never late', () => {
    expect(codeOf(tried, { otpExpiresAt: null }, 60 * minute)).toBeDefined()
  })

  it('under way when its time ends is waited for for a minute, and not longer', () => {
    const end = code.validMs
    const one = { otpTries: 1 }
    expect(codeOf(expired, one, end + minute - 1)).toBeUndefined()
    expect(codeOf(expired, one, end + minute)?.payment.status).toBe('FAILED')
    expect(codeOf(expired, { ...one, otpExpiresAt: null }, 0)?.payment.status).toBe('FAILED')
  })

  it('that is accepted makes the collection due when the rail said', () => {
    const moved = codeOf(accepted, { otpTries: 1 })
    expect(moved).toMatchObject({ payment: { status: 'PENDING', otpAcceptedAt: inMs(1_000) }, dueAt: inMs(6_000) })
  })

  it('that is accepted after the end is noted, and changes the end of one that failed in nothing', () => {
    const moved = codeOf(accepted, { status: 'SUCCESS' })
    expect(moved).toMatchObject({ payment: { status: 'SUCCESS', otpAcceptedAt: inMs(1_000) }, dueAt: undefined })
    expect(codeOf(accepted, { status: 'FAILED' })).toBeUndefined()
  })
})

describe('a word that moves nothing', () => {
  const statuses: PaymentStatus[] = ['queued', 'PENDING', 'OTP_REQUIRED', 'SUCCESS', 'FAILED', 'REVERSED']
  it.each<[Result, PaymentStatus[]]>([
    [{ kind: 'succeeded' }, ['SUCCESS', 'REVERSED']],
    [{ kind: 'failed', reason: 'LIMIT_EXCEEDED' }, ['FAILED']],
    [{ kind: 'reversed' }, ['REVERSED']],
    [asked, ['queued', 'PENDING', 'OTP_REQUIRED']],
    [expired, statuses],
    [tried, []],
    [wrong, []],
    [undecided, []],
    [accepted, []],
  ])('%o says nothing new of %j', (result, known) => {
    const found = statuses.filter((status) => saysNothingNew({ ...bankTransfer(), status } as never, result))
    expect(found).toEqual(known)
  })
})

describe('a payment that is new', () => {
  it('waits for its payer for 15 minutes, and for a code as long as its operator takes one', () => {
    expect(collection({}, handset)).toMatchObject({
      status: 'PENDING',
      otpExpiresAt: null,
      expiresAt: inMs(15 * minute),
    })
    expect(waiting()).toMatchObject({ status: 'OTP_REQUIRED', otpExpiresAt: inMs(code.validMs) })
  })

  it('shows what there is, and null for what there is not', () => {
    const shown = transferData(bankTransfer({ metadata: '{"order":"7"}' }))
    expect(shown).toMatchObject({ failureMessage: null, metadata: { order: '7' }, completedAt: null })
    const ended = { status: 'SUCCESS' as const, completedAt: at }
    expect(transferData(bankTransfer(ended))).toMatchObject({ metadata: null, completedAt: at.toISOString() })
    expect(momoCollectionData(collection())).toMatchObject({ failureMessage: null, requiresOtp: false })
    expect(momoCollectionData(waiting())).toMatchObject({ requiresOtp: true })
  })
})
