import { describe, expect, it } from 'vitest'
import { newUuid } from '#base/ids.ts'
import { toKobo } from '#base/money.ts'
import { feeOf, transferFees } from '#payments/fees.ts'
import {
  asAccepted,
  differingField,
  isFinal,
  moveOf,
  paymentStatuses,
  totalDebit,
  type Payment,
  type PaymentStatus,
  type Result,
} from '#payments/payment.ts'
import { nextAskMs, stuckAfterMs } from '#payments/schedule.ts'
import { publicIdOf, transferData } from '#payments/wire.ts'
import { bankFailureReasons } from '#rails/rail.ts'
import { requestOf } from './process.ts'

const at = new Date('2026-01-15T09:30:00.000Z')

function paymentOf(changes: Partial<Payment> = {}): Payment {
  return {
    ...requestOf({ reference: 'R-1' }),
    lane: 1,
    tenantId: newUuid(at.getTime()),
    id: newUuid(at.getTime()),
    kind: 'bank_transfer',
    status: 'queued',
    fee: toKobo(1_000),
    bankName: 'Guaranty Trust Bank',
    sessionId: null,
    failureReason: null,
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    submittedAt: at,
    asks: 0,
    ...changes,
  }
}

const results: Record<Result['kind'], Result> = {
  succeeded: { kind: 'succeeded', sessionId: null },
  failed: { kind: 'failed', reason: 'DO_NOT_HONOR' },
  reversed: { kind: 'reversed' },
}

describe('moveOf', () => {
  const moves: Record<string, { status: PaymentStatus; event: string; postings: string[] }> = {
    'queued succeeded': {
      status: 'SUCCESS',
      event: 'transfer.success',
      postings: ['payout reserved→rail 100000', 'payout_fee reserved→fees 1000'],
    },
    'queued failed': { status: 'FAILED', event: 'transfer.failed', postings: ['release reserved→available 101000'] },
    'SUCCESS reversed': {
      status: 'REVERSED',
      event: 'transfer.reversed',
      postings: ['reversal rail→available 100000', 'fee_refund fees→available 1000'],
    },
  }

  it.each(paymentStatuses.flatMap((status) => Object.values(results).map((result) => [status, result] as const)))(
    'of %s and %o is what the drawing of the states says',
    (status, result) => {
      const move = moveOf({ status, amount: toKobo(100_000), fee: toKobo(1_000) }, result)
      const shown = move && {
        ...move,
        postings: move.postings.map(({ kind, debit, credit, amount }) => `${kind} ${debit}→${credit} ${amount}`),
      }
      expect(shown).toEqual(moves[`${status} ${result.kind}`])
    },
  )

  it('moves no fee where there is none', () => {
    for (const [status, result] of [
      ['queued', results.succeeded],
      ['SUCCESS', results.reversed],
    ] as const) {
      expect(moveOf({ status, amount: toKobo(5), fee: toKobo(0) }, result)?.postings).toHaveLength(1)
    }
  })
})

describe('differingField', () => {
  const first = requestOf({ reference: 'R-1' })

  it.each([
    ['amount', { amount: toKobo(100_001) }],
    ['bankSlug', { bankSlug: 'access-bank' }],
    ['accountNumber', { accountNumber: '0123456788' }],
    ['amount', { amount: toKobo(1), bankSlug: 'access-bank', accountNumber: '0123456788' }],
  ])('names %s where it differs (%#)', (field, changes) => {
    expect(differingField(first, { ...first, ...changes })).toBe(field)
  })

  it('names nothing when name, narration or metadata differ', () => {
    expect(
      differingField(first, { ...first, accountName: 'OTHER', narration: 'other', metadata: '{"a":"b"}' }),
    ).toBeUndefined()
  })
})

describe('a payment', () => {
  it('is final in every state but queued', () => {
    expect(paymentStatuses.filter(isFinal)).toEqual(['SUCCESS', 'FAILED', 'REVERSED'])
  })

  it('costs amount and fee, by the steps of the schedule', () => {
    const fees = [1n, 500_000n, 500_001n, 5_000_000n, 5_000_001n].map((amount) => feeOf(transferFees, toKobo(amount)))
    expect(fees).toEqual([1_000n, 1_000n, 2_500n, 2_500n, 5_000n])
    expect(totalDebit(paymentOf())).toBe(101_000n)
    expect(() => feeOf([{ upTo: toKobo(5), fee: toKobo(1) }], toKobo(6))).toThrow('no end')
  })

  it('is replayed as it was accepted, whatever became of it', () => {
    const accepted = paymentOf()
    const later = new Date(at.getTime() + 5_000)
    const ended = { updatedAt: later, completedAt: later }
    for (const now of [
      paymentOf({ ...ended, id: accepted.id, status: 'SUCCESS', sessionId: '9'.repeat(30) }),
      paymentOf({ ...ended, id: accepted.id, status: 'FAILED', failureReason: 'DUPLICATE' }),
      paymentOf({ ...ended, id: accepted.id, status: 'REVERSED', sessionId: '9'.repeat(30) }),
    ]) {
      expect(transferData(asAccepted(now))).toEqual(transferData(accepted))
    }
  })

  it('says for every reason of failure what to do next', () => {
    for (const failureReason of bankFailureReasons) {
      expect(transferData(paymentOf({ status: 'FAILED', failureReason, completedAt: at })).failureMessage).toMatch(
        /^[A-Z].*\..*[.]$/,
      )
    }
  })

  it('is named after its kind', () => {
    const id = newUuid(at.getTime())
    const kinds = ['bank_transfer', 'momo_transfer', 'momo_collection'] as const
    expect(kinds.map((kind) => publicIdOf({ kind, id }).slice(0, 4))).toEqual(['trf_', 'mtr_', 'mcl_'])
  })
})

describe('the schedule', () => {
  it('asks after 5 s, 30 s, 2 min, 10 min, 30 min, then hourly, and calls a person after a day', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 1_000].map((asks) => nextAskMs(asks) / 1_000)).toEqual([
      5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600,
    ])
    expect(stuckAfterMs).toBe(86_400_000)
  })
})
