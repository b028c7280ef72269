// Results that do not change a payment: they come too late, belong to another kind of payment, or concern a code that
// is not in progress.

import { describe, expect, it } from 'vitest'
import { transitionOf } from '#payments/transitions.ts'
import type { Payment, PaymentOf, PaymentStatus, Result } from '#payments/payment.ts'
import { at, bankTransfer, code, collection, momoTransfer, on } from './made.ts'

const inMs = (ms: number): Date => new Date(at.getTime() + ms)
const ended = (payment: Payment, status: PaymentStatus) => ({ ...payment, status, completedAt: at }) as Payment
const words: Result[] = [
  { kind: 'succeeded' },
  { kind: 'failed', reason: 'LIMIT_EXCEEDED' },
  { kind: 'reversed' },
  { kind: 'otp-required', expiresAtMs: at.getTime() + 1_000 },
  { kind: 'otp-expired' },
  { kind: 'otp-tried' },
  { kind: 'otp-wrong' },
  { kind: 'otp-undecided' },
]
const movers = (payment: Payment): string[] =>
  words.filter((word) => transitionOf(payment, word, on(at)) !== undefined).map(({ kind }) => kind)

describe('a payment', () => {
  it.each([
    ['a bank transfer', bankTransfer(), ['reversed']],
    ['a mobile-money transfer', momoTransfer(), ['reversed']],
    ['a collection', collection({ otpTries: 1 }, code), []],
  ])('%s that has ended ends no other way, except that money that went out may come back', (_, payment, moving) => {
    expect(movers(ended(payment, 'SUCCESS'))).toEqual(moving)
    expect(movers(ended(payment, 'FAILED'))).toEqual([])
    expect(movers(ended(payment, 'REVERSED'))).toEqual([])
  })

  it('that waits may end in success or not, and comes back only after it has gone out', () => {
    for (const payment of [bankTransfer(), momoTransfer()]) expect(movers(payment)).toEqual(['succeeded', 'failed'])
    expect(movers(collection())).toEqual(['succeeded', 'failed', 'otp-required'])
  })

  it('that brings money in moves none itself, however it ends', () => {
    const posted = words
      .slice(0, 2)
      .map((word) => [collection(), bankTransfer()].map((one) => transitionOf(one, word, on(at))?.postings.length))
    expect(posted).toEqual([
      [0, 2],
      [0, 1],
    ])
  })
})

describe('the time for a code', () => {
  const expired: Result = { kind: 'otp-expired' }
  const atEnd = (changes: Partial<PaymentOf<'momo_collection'>>) =>
    transitionOf(collection(changes, code), expired, on(inMs(code.validMs)))?.payment

  it.each([0, 1, 2])('ends the collection at once when none is under way, after %d wrong ones', (count) => {
    const reason = { status: 'FAILED', failureReason: 'OTP_EXPIRED', completedAt: inMs(code.validMs) }
    expect(atEnd({ otpTries: count, otpWrong: count })).toMatchObject(reason)
    expect(atEnd({ otpTries: count + 1, otpWrong: count })).toBeUndefined()
  })

  it('is over when it is, to the millisecond', () => {
    const tried = (ms: number) => transitionOf(collection({}, code), { kind: 'otp-tried' }, on(inMs(ms)))
    expect(tried(code.validMs - 1)).toBeDefined()
    expect(tried(code.validMs)).toBeUndefined()
  })

  it('leaves three tries, and one that is wrong three times has failed', () => {
    const tried = (otpTries: number) => transitionOf(collection({ otpTries }, code), { kind: 'otp-tried' }, on(at))
    expect([0, 1, 2, 3].map((tries) => tried(tries) !== undefined)).toEqual([true, true, true, false])
    const wrong = (otpWrong: number) =>
      transitionOf(collection({ otpTries: 3, otpWrong }, code), { kind: 'otp-wrong' }, on(at))?.payment
    expect([0, 1, 2].map((before) => wrong(before))).toMatchObject([
      { status: 'OTP_REQUIRED', otpWrong: 1 },
      { status: 'OTP_REQUIRED', otpWrong: 2 },
      { status: 'FAILED', otpWrong: 3, failureReason: 'OTP_ATTEMPTS_EXCEEDED' },
    ])
  })
})

describe('a code that is accepted', () => {
  const accepted: Result = { kind: 'otp-accepted', hash: 'a'.repeat(64), lookAgainMs: 5_000 }

  it('counts once, and no second code is needed', () => {
    expect(transitionOf(collection({ otpAcceptedAt: at }, code), accepted, on(at))).toBeUndefined()
    expect(transitionOf(collection({ status: 'PENDING' }, code), accepted, on(at))).toMatchObject({ dueAt: undefined })
    expect(transitionOf(collection({}, code), accepted, on(at))).toMatchObject({
      payment: { status: 'PENDING', otpHash: 'a'.repeat(64), updatedAt: at },
      dueAt: inMs(5_000),
      postings: [],
    })
  })
})
