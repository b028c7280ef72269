// The next step after each answer of a rail about a payment. The rail is a fake; nothing is written.

import { describe, expect, it } from 'vitest'
import { createFirstSeen } from '#platform/cache.ts'
import { toMoney } from '#platform/money.ts'
import { existsAndIsAbsent } from '#payments/review-items.ts'
import type { Step } from '#payments/execution/step.ts'
import type { Payment, PaymentOf } from '#payments/payment.ts'
import type { RailState } from '#payments/execution/rail-call.ts'
import type { NotFound } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { at, bankTransfer as transfer, collection } from './made.ts'
import { said, settle, stepOf, submitLeaseMs, wait, type Asked } from './stepping.ts'

const minute = 60_000
const atMs = at.getTime()

/** A collection that waits for a code until this time. */
const withCode = (untilMs: number | null, changes: Partial<PaymentOf<'momo_collection'>> = {}): Payment =>
  collection({ status: 'OTP_REQUIRED', otpExpiresAt: untilMs === null ? null : new Date(atMs + untilMs), ...changes })

/** A collection that had not ended after half an hour. */
const expiredCollection = (): Payment =>
  collection({ status: 'FAILED', failureReason: 'EXPIRED', completedAt: new Date(atMs + 30 * minute), asks: 1 })

const [onWait, onLost, onNone, onGone] = [said('pending'), said('unknown'), said('not-found'), said('no-rail')]
const sessionId = '9'.repeat(30)
const pending: RailState = { kind: 'pending' }
const unknown = { kind: 'unknown', detail: 'no answer' } as const
const notFound: NotFound = { kind: 'not-found' }
const codeAsked: RailState = { kind: 'otp-required', expiresAtMs: atMs + 5 * minute }
const expired = settle({ kind: 'failed', reason: 'EXPIRED' })
/** The rail may have it all the same. */
const expiredUnseen = settle({ kind: 'failed', reason: 'EXPIRED', lookAgainMs: 5 * minute })
const codeExpired = settle({ kind: 'otp-expired' })
const done = { status: 'SUCCESS' as const }

type Case = [title: string, payment: Payment, word: RailState | NotFound, step: Step, asked?: Asked]

const cases: Case[] = [
  ['is asked about by the schedule', transfer(), pending, onWait(5_000, { asks: 1 })],
  ['… further on it', transfer({ asks: 2 }), unknown, onLost(2 * minute, { asks: 3 })],
  [
    'is asked about when its rail says',
    transfer({ asks: 2 }),
    { ...pending, askAgainAfterMs: 70_000 },
    onWait(70_000, { asks: 2 }),
  ],
  ['… but not at once again and again', transfer(), { ...pending, askAgainAfterMs: 3 }, onWait(10)],
  [
    'whose question had to wait for the rate limit is asked about when there is room, and further on it not at all',
    transfer({ asks: 5 }),
    { ...unknown, askAgainAfterMs: 70_000 },
    onLost(70_000, { asks: 5 }),
  ],
  [
    '… after five seconds at least',
    transfer({ asks: 5 }),
    { ...unknown, askAgainAfterMs: 20 },
    onLost(5_000, { asks: 5 }),
  ],
  [
    'of which nothing left is sent again',
    transfer(),
    { ...unknown, sent: false },
    onLost(5_000, { asks: 1, unsent: true }),
    { sentBefore: false },
  ],
  ['… but not when it may have left before', transfer(), { ...unknown, sent: false }, onLost(5_000, { asks: 1 })],
  ['… nor when it may have left now', transfer(), unknown, onLost(5_000, { asks: 1 }), { sentBefore: false }],
  [
    'that its rail does not show yet is asked about again',
    transfer({ asks: 1 }),
    notFound,
    onNone(30_000, { asks: 2 }),
    { absentMs: 15 * minute - 1 },
  ],
  ['… every five minutes', transfer({ asks: 9 }), notFound, onNone(5 * minute, { asks: 10 }), { absentMs: 0 }],
  [
    'that its rail has not shown for the grace period is sent again, to no other rail',
    transfer({ asks: 3 }),
    notFound,
    onNone(0, { unsent: true, submissionAnswer: 'unclear' }),
  ],
  [
    '… to any rail when it had been refused',
    transfer({ submissionAnswer: 'refused' }),
    notFound,
    onNone(0, { unsent: true, submissionAnswer: null }),
  ],
  [
    '… not when its rail had said that it exists: that is a contradiction',
    transfer({ asks: 3, submissionAnswer: 'exists' }),
    notFound,
    onNone(10 * minute, { asks: 4, contradiction: existsAndIsAbsent }),
  ],
  [
    'that is refused with words that are not final is remembered so, and asked about',
    transfer(),
    { ...unknown, why: 'refused' },
    onLost(5_000, { asks: 1, submissionAnswer: 'refused', postpone: true }),
    { sentBefore: false },
  ],
  [
    '… also when it claims that nothing was sent',
    transfer(),
    { ...unknown, why: 'refused', sent: false },
    onLost(5_000, { asks: 1, submissionAnswer: 'refused', postpone: true }),
    { sentBefore: false },
  ],
  [
    '… and when it is shown then, it must not vanish again',
    transfer({ submissionAnswer: 'refused' }),
    pending,
    onWait(5_000, { asks: 1, submissionAnswer: 'exists', postpone: true }),
  ],
  [
    'that its rail has already is remembered so',
    transfer(),
    { ...pending, askAgainAfterMs: 0, exists: true },
    onWait(10, { submissionAnswer: 'exists', postpone: true }),
    { sentBefore: false },
  ],
  [
    'that stayed absent once, and did not leave this time, is still unclear',
    transfer({ submissionAnswer: 'unclear' }),
    { ...unknown, sent: false, why: 'resting', askAgainAfterMs: 2_000 },
    onLost(2_000, { unsent: true }),
    { sentBefore: false },
  ],
  [
    '… and when it is refused this time, because the first submission may still be paid',
    transfer({ submissionAnswer: 'unclear' }),
    { ...unknown, why: 'refused' },
    onLost(5_000, { asks: 1 }),
    { sentBefore: false },
  ],
  [
    '… also with a code that is final, if that is not about its payee',
    transfer({ submissionAnswer: 'unclear' }),
    { kind: 'failed', reason: 'PROVIDER_ERROR', created: false },
    onLost(5_000, { asks: 1 }),
    { sentBefore: false },
  ],
  [
    '… but the payee would be refused again, so such a code ends it',
    transfer({ submissionAnswer: 'unclear' }),
    { kind: 'failed', reason: 'INVALID_ACCOUNT', created: false },
    { kind: 'settle', results: [{ kind: 'failed', reason: 'INVALID_ACCOUNT' }] },
    { sentBefore: false },
  ],
  [
    'under whose reference its rail has something else waits for a person',
    transfer(),
    { ...unknown, why: 'mismatch' },
    onLost(5_000, {
      asks: 1,
      contradiction: 'its rail has another payment under its reference (no answer); ask the provider',
    }),
  ],
  ['… unless another rail may have it', transfer({ rail: null, asks: 3 }), notFound, onNone(10 * minute, { asks: 4 })],
  [
    '… unless it has ended: that is a contradiction',
    transfer(done),
    notFound,
    { kind: 'rest', contradiction: 'its rail says not-found, after it had ended SUCCESS' },
  ],
  [
    'fails with its reason',
    transfer(),
    { kind: 'failed', reason: 'DO_NOT_HONOR' },
    settle({ kind: 'failed', reason: 'DO_NOT_HONOR' }),
  ],
  [
    '… also when it has succeeded, which settling refuses and tells',
    transfer(done),
    { kind: 'failed', reason: 'DO_NOT_HONOR' },
    settle({ kind: 'failed', reason: 'DO_NOT_HONOR' }),
  ],
  [
    '… and rests when it had failed',
    transfer({ status: 'FAILED' }),
    { kind: 'failed', reason: 'DO_NOT_HONOR' },
    { kind: 'rest' },
  ],
  [
    'that succeeds after it had failed is settled so, which settling refuses and tells',
    transfer({ status: 'FAILED' }),
    { kind: 'succeeded', sessionId },
    settle({ kind: 'succeeded', sessionId }),
  ],
  ['succeeds with its proof', transfer(), { kind: 'succeeded', sessionId }, settle({ kind: 'succeeded', sessionId })],
  [
    '… and is looked at again',
    transfer(),
    { kind: 'succeeded', sessionId, askAgainAfterMs: 9 },
    settle({ kind: 'succeeded', sessionId, lookAgainMs: 9 }),
  ],
  ['that had succeeded rests', transfer(done), { kind: 'succeeded', sessionId }, { kind: 'rest' }],
  [
    '… until its rail wants to be asked',
    transfer({ ...done, asks: 4 }),
    { kind: 'succeeded', sessionId, askAgainAfterMs: 9 },
    wait(9),
  ],
  [
    'that comes back is settled so, whatever was known of it',
    transfer(),
    { kind: 'reversed', sessionId },
    settle({ kind: 'reversed' }),
  ],
  ['… also after its success', transfer(done), { kind: 'reversed', sessionId }, settle({ kind: 'reversed' })],
  ['whose rail is gone waits for it', transfer({ rail: 'gone' }), unknown, onGone(5_000, { asks: 1 })],
  [
    '… unsent, when it was not sent',
    transfer({ rail: 'gone' }),
    unknown,
    onGone(5_000, { asks: 1, unsent: true }),
    { sentBefore: false },
  ],

  ['is asked about every 5 s', collection({ asks: 7 }), pending, onWait(5_000, { postpone: false })],
  ['… and after a minute every 15 s', collection(), pending, onWait(15_000, { postpone: false }), { afterMs: minute }],
  [
    '… but no later than when its time ends',
    collection(),
    pending,
    onWait(2_000, { postpone: false }),
    { afterMs: 15 * minute - 2_000 },
  ],
  [
    '… and after that by the schedule',
    collection({ asks: 1 }),
    pending,
    onWait(30_000, { asks: 2, postpone: false }),
    { afterMs: 15 * minute },
  ],
  [
    'is looked at when its rail says',
    collection(),
    { ...pending, askAgainAfterMs: 99 },
    onWait(99, { postpone: false }),
  ],
  ['that never left ends with its time', collection(), pending, expired, { sentBefore: false, afterMs: 15 * minute }],
  [
    '… and not before',
    collection(),
    pending,
    onWait(1, { postpone: false }),
    { sentBefore: false, afterMs: 15 * minute - 1 },
  ],
  ['that its operator never had ends with its time', collection(), notFound, expiredUnseen, { afterMs: 15 * minute }],
  [
    '… and is asked about again, after as long as it has been over',
    expiredCollection(),
    notFound,
    onNone(7 * minute, { asks: 2 }),
    { afterMs: 37 * minute },
  ],
  [
    '… also while its operator calls it under way or cannot tell',
    expiredCollection(),
    unknown,
    onLost(7 * minute, { asks: 2 }),
    { afterMs: 37 * minute },
  ],
  [
    '… until it is not known a day later',
    expiredCollection(),
    notFound,
    { kind: 'rest' },
    { afterMs: 24.5 * 60 * minute },
  ],
  [
    '… while one that is under way then waits for a person as well',
    expiredCollection(),
    pending,
    onWait(24 * 60 * minute, { asks: 2, contradiction: 'its rail says pending, after it had ended FAILED' }),
    { afterMs: 24.5 * 60 * minute },
  ],
  [
    '… and is paid when its operator says so',
    expiredCollection(),
    { kind: 'succeeded', operatorReference: 'M1' },
    settle({ kind: 'succeeded', operatorReference: 'M1' }),
    { afterMs: 40 * minute },
  ],
  [
    '… not one that its operator had said exists: that is a contradiction',
    collection({ submissionAnswer: 'exists' }),
    notFound,
    onNone(5_000, { asks: 1, postpone: false, contradiction: existsAndIsAbsent }),
    { afterMs: 15 * minute },
  ],
  ['… before that it is sent again', collection(), notFound, onNone(0, { unsent: true, submissionAnswer: 'unclear' })],
  [
    '… and when it was absent for the grace period, not before',
    collection(),
    notFound,
    onNone(5_000, { asks: 1, postpone: false }),
    { afterMs: 15 * minute, absentMs: 1 },
  ],
  [
    'succeeds with its proof',
    collection(),
    { kind: 'succeeded', operatorReference: 'M1' },
    settle({ kind: 'succeeded', operatorReference: 'M1' }),
  ],

  ['is asked for a code', collection(), codeAsked, settle({ kind: 'otp-required', expiresAtMs: atMs + 5 * minute })],
  [
    '… not again after one was accepted',
    collection({ otpAcceptedAt: at }),
    codeAsked,
    onWait(5_000, { postpone: false }),
  ],
  [
    '… not after its end',
    collection(done),
    codeAsked,
    { kind: 'rest', contradiction: 'its rail says otp-required, after it had ended SUCCESS' },
  ],
  [
    'waits for a code as long as that is taken',
    withCode(5 * minute, { asks: 2 }),
    codeAsked,
    onWait(5 * minute - 1_000, { asks: 2, postpone: true }),
  ],
  ['… no longer than for its payer', withCode(20 * minute), codeAsked, onWait(15 * minute - 1_000, { postpone: true })],
  ['… and ends when nobody sent one', withCode(5 * minute), codeAsked, codeExpired, { afterMs: 5 * minute }],
  [
    '… not a moment before',
    withCode(5 * minute),
    codeAsked,
    onWait(1, { postpone: true }),
    { afterMs: 5 * minute - 1 },
  ],
  [
    '… also when it never left',
    withCode(5 * minute),
    codeAsked,
    codeExpired,
    { afterMs: 5 * minute, sentBefore: false },
  ],
  [
    'that waits for a code without an end is asked about by the schedule',
    withCode(null, { asks: 1 }),
    codeAsked,
    onWait(30_000, { asks: 1, postpone: true }),
    { afterMs: 16 * minute },
  ],
  [
    'whose code its operator calls late ends so',
    withCode(minute),
    { kind: 'failed', reason: 'OTP_EXPIRED' },
    codeExpired,
    { afterMs: minute },
  ],
  [
    '… and has failed when by our time it is not',
    withCode(minute),
    { kind: 'failed', reason: 'OTP_EXPIRED' },
    settle({ kind: 'failed', reason: 'OTP_EXPIRED' }),
  ],
  [
    '… and for another reason fails for that one',
    withCode(minute),
    { kind: 'failed', reason: 'EXPIRED' },
    expired,
    { afterMs: minute },
  ],
  [
    'that no longer waits for a code is not held to the end of that',
    collection({ otpExpiresAt: new Date(atMs + 2_000) }),
    pending,
    onWait(5_000, { postpone: false }),
  ],
]

/**
 * A process that remembers since when payments are absent. Resolves with whether it sends this one again at a given
 * minute of its clock.
 */
function newProcess() {
  const clock = createFakeClock(atMs)
  const process = { clock, absences: createFirstSeen(clock) }
  return async (
    atMinute: number,
    word: RailState | NotFound,
    payment = transfer(),
    asked?: Asked,
  ): Promise<boolean> => {
    const { step } = await stepOf(payment, word, { process, afterMs: atMinute * minute, ...asked })
    return step.kind === 'wait' && step.unsent
  }
}

describe('a payment', () => {
  it.each(cases)('%s', async (_title, payment, word, step, asked) => {
    expect((await stepOf(payment, word, asked)).step).toStrictEqual(step)
  })

  it('is submitted once, and asked about from then on', async () => {
    expect((await stepOf(transfer(), pending, { sentBefore: false })).calls).toEqual(['submit'])
    expect((await stepOf(transfer(), pending)).calls).toEqual(['status'])
  })

  it('that its rail showed in between is not absent for as long as before it was shown', async () => {
    const isSentAgainAt = newProcess()
    expect(await isSentAgainAt(0, notFound)).toBe(false)
    expect(await isSentAgainAt(10, pending)).toBe(false)
    expect(await isSentAgainAt(16, notFound)).toBe(false)
    expect(await isSentAgainAt(20, unknown)).toBe(false)
    expect(await isSentAgainAt(30, notFound)).toBe(false)
    expect(await isSentAgainAt(31, notFound)).toBe(true)
    // The rail may take as long to show a new submission as it took with the first one.
    expect(await isSentAgainAt(32, notFound)).toBe(false)
  })

  it('is not sent again for an answer that waited for a suspended process until the grace period was over', async () => {
    const isSentAgainAt = newProcess()
    expect(await isSentAgainAt(0, notFound)).toBe(false)
    expect(await isSentAgainAt(14, notFound, transfer(), { suspendedMs: 20 * minute })).toBe(false)
    expect(await isSentAgainAt(35, notFound)).toBe(true)
  })

  it('that another process has sent again is absent since that submission, and no longer', async () => {
    const isSentAgainAt = newProcess()
    const again = transfer({ submittedAt: new Date(atMs + 15 * minute) })
    expect(await isSentAgainAt(0, notFound)).toBe(false)
    expect(await isSentAgainAt(16, notFound, again)).toBe(false)
    expect(await isSentAgainAt(30, notFound, again)).toBe(false)
    expect(await isSentAgainAt(31, notFound, again)).toBe(true)
  })

  it('that a rate limit delayed is sent when the limit allows, but not repeatedly at once', async () => {
    const full = (askAgainAfterMs: number): RailState => ({ ...unknown, sent: false, askAgainAfterMs })
    const unsent = { asks: 2, unsent: true, railAnswer: 'unknown' as const }
    const never = { sentBefore: false }
    expect((await stepOf(transfer({ asks: 2 }), full(2_000), never)).step).toEqual(onLost(2_000, unsent))
    expect((await stepOf(transfer({ asks: 2 }), full(3), never)).step).toEqual(onLost(10, unsent))
    expect((await stepOf(transfer(), full(2_000))).step).toEqual(onLost(5_000))
  })

  it('is not sent when its submission could outlast the lease, however late that is found out', async () => {
    const never = { sentBefore: false }
    const inTime = await stepOf(transfer(), pending, { ...never, stopsTakeMs: minute - submitLeaseMs })
    expect(inTime.calls).toEqual(['submit'])
    const late = await stepOf(transfer({ asks: 3 }), pending, { ...never, stopsTakeMs: minute - submitLeaseMs + 1 })
    expect(late.calls).toEqual([])
    expect(late.step).toEqual(wait(0, { asks: 3, unsent: true }))
  })

  it('reports the fee of its rail, if the rail reports one', async () => {
    const told = (cost?: bigint) => ({ kind: 'succeeded', sessionId, cost }) as RailState
    expect((await stepOf(transfer(), told(700n))).step).toStrictEqual(
      settle({ kind: 'succeeded', sessionId, cost: toMoney(700n) }),
    )
    expect((await stepOf(transfer(), told(undefined))).step).toStrictEqual(settle({ kind: 'succeeded', sessionId }))
  })

  it('that its operator showed ends with its time only after a whole grace period of absence since then', async () => {
    const clock = createFakeClock(atMs)
    const process = { clock, absences: createFirstSeen(clock) }
    const stepAt = async (atMinute: number, word: RailState | NotFound): Promise<Step> =>
      (await stepOf(collection(), word, { process, afterMs: atMinute * minute })).step
    for (const atMinute of [0, 1]) expect((await stepAt(atMinute, notFound)).kind).toBe('wait')
    expect((await stepAt(14, pending)).kind).toBe('wait')
    for (const atMinute of [16, 20, 30]) expect((await stepAt(atMinute, notFound)).kind).toBe('wait')
    expect(await stepAt(31, notFound)).toStrictEqual(expiredUnseen)
  })

  it('is not sent after its time is over', async () => {
    const { calls } = await stepOf(collection(), pending, { sentBefore: false, afterMs: 15 * minute })
    expect(calls).toEqual([])
  })
})
