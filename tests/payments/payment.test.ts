import { describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import {
  asAccepted,
  collectionStatuses,
  isFinal,
  paymentKinds,
  totalDebit,
  transferStatuses,
  type Payment,
  type PaymentKind,
  type PaymentOf,
  type PaymentStatus,
  type Result,
} from '#payments/payment.ts'
import { transitionOf } from '#payments/transitions.ts'
import { nextAskMs, nextCollectionAskMs } from '#payments/execution/schedule.ts'
import { stuckAfterMs } from '#payments/review-items.ts'
import { momoCollectionData, paymentData, publicIdOf, transferData } from '#payments/wire.ts'
import { bankFailureReasons, momoFailureReasons } from '#rails/rail.ts'
import { at, bankTransfer, code, collection, momoTransfer, on } from './made.ts'

const makers: Record<PaymentKind, (changes: object) => Payment> = {
  bank_transfer: bankTransfer,
  momo_transfer: momoTransfer,
  momo_collection: collection,
}

function shownMove(payment: Payment, result: Result, time = at) {
  const move = transitionOf(payment, result, on(time))
  return (
    move && {
      status: move.payment.status,
      event: move.event,
      postings: move.postings.map(({ kind, debit, credit, amount }) => `${kind} ${debit}→${credit} ${amount}`),
    }
  )
}

describe('transitionOf', () => {
  const paid = ['payout reserved→rail 100000', 'payout_fee reserved→fees 1000']
  const released = ['release reserved→available 101000']
  const returned = ['reversal rail→available 100000', 'fee_refund fees→available 1000']
  const drawing: Record<string, { status: PaymentStatus; event?: string; postings: string[] }> = {
    'bank_transfer queued succeeded': { status: 'SUCCESS', event: 'transfer.success', postings: paid },
    'bank_transfer queued failed': { status: 'FAILED', event: 'transfer.failed', postings: released },
    'bank_transfer SUCCESS reversed': { status: 'REVERSED', event: 'transfer.reversed', postings: returned },
    'momo_transfer queued succeeded': { status: 'SUCCESS', event: 'momo.transfer.success', postings: paid },
    'momo_transfer queued failed': { status: 'FAILED', event: 'momo.transfer.failed', postings: released },
    'momo_transfer SUCCESS reversed': { status: 'REVERSED', postings: returned },
    // The money moves with the deposit that the collection becomes.
    'momo_collection PENDING succeeded': { status: 'SUCCESS', event: 'momo.collection.success', postings: [] },
    'momo_collection PENDING failed': { status: 'FAILED', event: 'momo.collection.failed', postings: [] },
    'momo_collection OTP_REQUIRED succeeded': { status: 'SUCCESS', event: 'momo.collection.success', postings: [] },
    'momo_collection OTP_REQUIRED failed': { status: 'FAILED', event: 'momo.collection.failed', postings: [] },
  }
  const results: Result[] = [
    { kind: 'succeeded', sessionId: null },
    { kind: 'failed', reason: 'LIMIT_EXCEEDED' },
    { kind: 'reversed' },
  ]
  const statusesOf = (kind: PaymentKind) => (kind === 'momo_collection' ? collectionStatuses : transferStatuses)

  it.each(
    paymentKinds.flatMap((kind) =>
      statusesOf(kind).flatMap((status) => results.map((result) => [kind, status, result] as const)),
    ),
  )('of a %s that is %s and %o is what the drawing of the states says', (kind, status, result) => {
    expect(shownMove(makers[kind]({ status }), result)).toEqual(drawing[`${kind} ${status} ${result.kind}`])
  })

  it('moves no fee where there is none', () => {
    const free = { fee: toMoney(0) }
    expect(shownMove(bankTransfer(free), { kind: 'succeeded' })?.postings).toHaveLength(1)
    expect(shownMove(bankTransfer({ ...free, status: 'SUCCESS' }), { kind: 'reversed' })?.postings).toHaveLength(1)
  })

  it('knows no reason of another kind', () => {
    expect(() => transitionOf(momoTransfer(), { kind: 'failed', reason: 'DORMANT_ACCOUNT' }, on(at))).toThrow(
      'cannot fail with',
    )
  })
})

describe('the code of a collection', () => {
  const tried = { kind: 'otp-tried' } as const
  const waiting = (changes = {}) => collection(changes, code)
  const accepted = { kind: 'otp-accepted', hash: 'a'.repeat(64), lookAgainMs: 5_000 } as const

  const after = (words: Result[], from: Payment = waiting(), time = at): PaymentOf<'momo_collection'> =>
    words.reduce(
      (payment, word) => transitionOf(payment, word, on(time))?.payment ?? payment,
      from,
    ) as PaymentOf<'momo_collection'>

  it('is tried three times and no more, also while an answer of the operator is missing', () => {
    expect(after([tried, tried, tried, tried]).otpTries).toBe(3)
    expect(transitionOf(after([tried, tried, tried]), tried, on(at))).toBeUndefined()
  })

  it('fails it with the third wrong one, whatever the order of trying and hearing', () => {
    const wrong = { kind: 'otp-wrong' } as const
    for (const words of [
      [tried, wrong, tried, wrong, tried, wrong],
      [tried, tried, tried, wrong, wrong, wrong],
    ]) {
      expect(after(words)).toMatchObject({ status: 'FAILED', failureReason: 'OTP_ATTEMPTS_EXCEEDED', otpWrong: 3 })
      expect(after(words.slice(0, -1)).status).toBe('OTP_REQUIRED')
    }
  })

  it('does not count one that the operator did not answer', () => {
    const undecided = { kind: 'otp-undecided' } as const
    expect(after([tried, undecided, tried, undecided, tried]).otpTries).toBe(1)
    expect(after([undecided]).otpTries).toBe(0)
  })

  it('moves it on once it is accepted, and nothing wrong counts after that', () => {
    const done = after([tried, tried, accepted])
    expect(done).toMatchObject({ status: 'PENDING', otpHash: accepted.hash, otpAcceptedAt: at })
    expect(transitionOf(done, { kind: 'otp-wrong' }, on(at))).toBeUndefined()
    expect(transitionOf(done, accepted, on(at))).toBeUndefined()
  })

  it('expires to the millisecond, and not while the operator is being asked about one', () => {
    const end = new Date(at.getTime() + code.validMs)
    const before = new Date(end.getTime() - 1)
    expect(transitionOf(waiting(), tried, on(before))).toBeDefined()
    expect(transitionOf(waiting(), tried, on(end))).toBeUndefined()
    expect(after([{ kind: 'otp-expired' }], waiting(), end)).toMatchObject({
      status: 'FAILED',
      failureReason: 'OTP_EXPIRED',
    })
    expect(transitionOf(after([tried]), { kind: 'otp-expired' }, on(end))).toBeUndefined()
  })

  it('may be asked for later, but not again', () => {
    const asks = { kind: 'otp-required', expiresAtMs: at.getTime() + 1_000 } as const
    expect(after([asks], collection())).toMatchObject({ status: 'OTP_REQUIRED' })
    expect(transitionOf(after([tried, accepted]), asks, on(at))).toBeUndefined()
  })
})

describe('a payment', () => {
  it('is final in every state but those in which it waits', () => {
    expect([...transferStatuses, ...collectionStatuses].filter((status) => !isFinal(status))).toEqual([
      'queued',
      'PENDING',
      'OTP_REQUIRED',
    ])
  })

  it('costs amount and fee', () => {
    expect(totalDebit(bankTransfer())).toBe(101_000n)
  })

  it('is replayed as it was accepted, whatever became of it', () => {
    const later = new Date(at.getTime() + 5_000)
    const ended = { updatedAt: later, completedAt: later }
    const proof = { sessionId: '9'.repeat(30), operatorReference: 'OP-1' }
    const deposit = { depositId: newUuid(1), depositReference: 'DEP1' }
    const codeWords = { otpAcceptedAt: later, otpHash: 'a'.repeat(64), otpTries: 2, otpWrong: 1 }
    for (const [accepted, now] of [
      [bankTransfer(), bankTransfer({ ...ended, status: 'SUCCESS', sessionId: proof.sessionId })],
      [bankTransfer(), bankTransfer({ ...ended, status: 'FAILED', failureReason: 'DUPLICATE' })],
      [momoTransfer(), momoTransfer({ ...ended, status: 'REVERSED', operatorReference: 'OP-1' })],
      [collection(), collection({ ...ended, ...deposit, status: 'SUCCESS', operatorReference: 'OP-1' })],
      [collection(), collection({ status: 'OTP_REQUIRED', otpExpiresAt: later, updatedAt: later })],
      [collection({}, code), collection({ ...ended, ...codeWords, ...deposit, status: 'SUCCESS' }, code)],
      [collection({}, code), collection({ ...ended, status: 'FAILED', failureReason: 'OTP_EXPIRED' }, code)],
    ] as const) {
      expect(paymentData(asAccepted(now))).toEqual(paymentData(accepted))
    }
  })

  it('says for every reason of failure what to do next', () => {
    for (const failureReason of bankFailureReasons) {
      const data = transferData(bankTransfer({ status: 'FAILED', failureReason, completedAt: at }))
      expect(data.failureMessage).toMatch(/^[A-Z].*\..*[.]$/)
    }
    for (const failureReason of momoFailureReasons) {
      const data = momoCollectionData(collection({ status: 'FAILED', failureReason, completedAt: at }))
      expect(data.failureMessage).toMatch(/^[A-Z].*\..*[.]$/)
    }
  })

  it('is named after its kind', () => {
    const id = newUuid(at.getTime())
    expect(paymentKinds.map((kind) => publicIdOf({ kind, id }).slice(0, 4))).toEqual(['trf_', 'mtr_', 'mcl_'])
  })
})

describe('the schedule', () => {
  it('asks after 5 s, 30 s, 2 min, 10 min, 30 min, then hourly, and calls a person after a day', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 1_000].map((asks) => nextAskMs(asks) / 1_000)).toEqual([
      5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600,
    ])
    expect(stuckAfterMs).toBe(86_400_000)
  })

  it('asks about a collection every 5 s in its first minute, then every 15 s', () => {
    expect([0, 59_999, 60_000, 600_000].map(nextCollectionAskMs)).toEqual([5_000, 5_000, 15_000, 15_000])
  })
})
