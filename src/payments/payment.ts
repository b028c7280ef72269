// A payment: money that a business sends, or asks a payer for. `kinds` shows where the three kinds differ; transitions.ts has
// the moves between their states. docs/states.md draws the states, and the table's CHECKs refuse any other.

import { findOperator } from '#directory/operators.ts'
import type { EventName } from '#events/catalogue.ts'
import { present } from '#platform/assert.ts'
import type { OfTenant } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { add, type Currency, type Money, toMoney } from '#platform/money.ts'
import {
  type Approval,
  type BankFailureReason,
  type MomoFailureReason,
  bankFailureReasons,
  momoFailureReasons,
} from '#rails/rail.ts'

/** The last answer of the rail of an unfinished payment, or that there was no rail to ask. */
export type RailWord = 'pending' | 'unknown' | 'not-found' | 'no-rail'

/**
 * What an earlier submission of an unfinished payment came to, where that decides what may follow. `unclear`: it stayed absent for
 * the grace period, so the same reference may be sent again, but to this rail only. `refused`: the rail refused it with
 * words that it does not list as final. `exists`: the rail has said that it has the reference. Null: nothing is known, or the
 * payment was never submitted to this rail.
 */
export type SubmissionAnswer = 'unclear' | 'refused' | 'exists'

/** A transfer sends money: to a bank account or to a wallet. */
export const transferStatuses = ['queued', 'SUCCESS', 'FAILED', 'REVERSED'] as const
type TransferStatus = (typeof transferStatuses)[number]

export const collectionStatuses = ['PENDING', 'OTP_REQUIRED', 'SUCCESS', 'FAILED'] as const
type CollectionStatus = (typeof collectionStatuses)[number]

export type PaymentStatus = TransferStatus | CollectionStatus

export const paymentKinds = ['bank_transfer', 'momo_transfer', 'momo_collection'] as const
export type PaymentKind = (typeof paymentKinds)[number]

export type FailureReason = BankFailureReason | MomoFailureReason

/** The request of the business, the same for all kinds. */
type PaymentRequest = {
  reference: string
  amount: Money
  currency: Currency
  narration: string | null
  /** JSON text, as it came. */
  metadata: string | null
}

export type BankTransferRequest = PaymentRequest & { bankSlug: string; accountNumber: string; accountName: string }

/**
 * `phoneNumber` is E.164; without `operator` (a slug) the number's prefix decides. Without `currency`, the currency is
 * the operator's.
 */
type WalletRequest = Omit<PaymentRequest, 'currency'> & {
  phoneNumber: string
  operator: string | undefined
  currency: Currency | undefined
}
export type MomoTransferRequest = WalletRequest & { accountName: string | null }
export type MomoCollectionRequest = WalletRequest & { customerName: string | null }

/** A payment before its acceptance, without the values that acceptance adds. Bank and operator come from the directory. */
export type Draft =
  | (PaymentRequest & {
      kind: 'bank_transfer'
      bankSlug: string
      bankName: string
      accountNumber: string
      accountName: string
    })
  | (PaymentRequest & { kind: 'momo_transfer'; phoneNumber: string; operator: string; accountName: string | null })
  | (PaymentRequest & {
      kind: 'momo_collection'
      phoneNumber: string
      operator: string
      customerName: string | null
      approval: Approval
    })

/** Set at acceptance, and changed later. */
type Accepted = OfTenant & {
  id: Uuid
  fee: Money
  /**
   * The name of the only rail that it is put to, as long as that may have it (execution/failover.ts). Null: a version that
   * did not store the rail accepted it, so any rail may have it.
   */
  rail: string | null
  /** The number of rails that it was at, one after another. */
  attempts: number
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
  submittedAt: Date | null
  /** Since when it waits because its rail's balance is too small for it. */
  parkedAt: Date | null
  asks: number
  submissionAnswer: SubmissionAnswer | null
  /** The trace context of the request that asked for it; null: it was not traced. */
  trace: string | null
}

type DraftOf<K extends PaymentKind> = Extract<Draft, { kind: K }>

export type BankTransfer = Accepted &
  DraftOf<'bank_transfer'> & {
    status: TransferStatus
    sessionId: string | null
    failureReason: BankFailureReason | null
  }

type ByOperator = { operatorReference: string | null; failureReason: MomoFailureReason | null }

type MomoTransfer = Accepted & DraftOf<'momo_transfer'> & ByOperator & { status: TransferStatus }

export type MomoCollection = Accepted &
  Omit<DraftOf<'momo_collection'>, 'approval'> &
  ByOperator & {
    status: CollectionStatus
    /** The approval that the rail announced at acceptance. */
    approval: Approval['kind']
    /** Null: no code was asked for. */
    otpExpiresAt: Date | null
    otpAcceptedAt: Date | null
    otpHash: string | null
    otpTries: number
    otpWrong: number
    expiresAt: Date
    depositId: Uuid | null
    depositReference: string | null
    /** When it had expired, and with which reason, if its payer's money came after all. */
    expiredAt: Date | null
    expiredAs: MomoFailureReason | null
  }

export type MobileMoney = MomoTransfer | MomoCollection
export type Payment = BankTransfer | MobileMoney

/** The country whose wallet at a provider a payment moves; null for bank transfers. */
export function countryOf(payment: Payment): string | null {
  return payment.kind === 'bank_transfer' ? null : (findOperator(payment.operator)?.country ?? null)
}

export type PaymentOf<K extends PaymentKind> = Extract<Payment, { kind: K }>

/** A result about a payment. Only an explicit answer of the rail (or, on staging, of the tester) moves money. */
export type Result =
  | {
      kind: 'succeeded'
      /** The proof that a bank gives. */
      sessionId?: string | null
      /** The proof that an operator gives. */
      operatorReference?: string | null
      /** The rail may still take the money back: it is asked again after this time. */
      lookAgainMs?: number
      /** The provider's fee. Absent: it does not say. */
      cost?: Money
    }
  | { kind: 'failed'; reason: FailureReason; lookAgainMs?: number }
  | { kind: 'reversed' }
  | CodeWord

/** Why a payment leaves a rail that certainly has not got it. The table of attempts names these, too. */
export const leavingReasons = ['stopped', 'misconfigured', 'resting', 'float', 'no-rail', 'refused'] as const
export type LeavingReason = (typeof leavingReasons)[number]

/**
 * Not an answer of the rail: the rail certainly does not have the payment, and another rail gets it. This holds while
 * the row is due at `leaseEnd`, because then no process has claimed the payment since.
 */
export type RailChange = { kind: 'rail-changed'; from: string; to: string; why: LeavingReason; leaseEnd: Date } & {
  /** The reference by which a notice of the new rail finds it; null: that rail sends none. */
  railReference: string | null
}

/** A result about the one-time code of a collection. */
export type CodeWord =
  /** The operator asks for a code after all. */
  | { kind: 'otp-required'; expiresAtMs: number }
  /** The time for a code is over, and the operator has none. */
  | { kind: 'otp-expired'; lookAgainMs?: number }
  /** A code is about to be taken to the operator, and counts from now on. */
  | { kind: 'otp-tried' }
  /** The operator's answer about a code that was submitted. */
  | { kind: 'otp-wrong' }
  | { kind: 'otp-undecided' }
  | { kind: 'otp-accepted'; hash: string; lookAgainMs: number }

/**
 * `at` dates the change: never before the tenant's last one, even if clocks differ. `nowMs` is the current time, which
 * decides whether something is late and when it is due again.
 */
export type Moment = { at: Date; nowMs: number }

/** A collection that its operator does not know after this time has failed. */
const collectionLifeMs = 15 * minuteMs

/** Payments that still have to end. The SQL names these statuses too. */
export const unfinishedStatuses: readonly PaymentStatus[] = ['queued', 'PENDING', 'OTP_REQUIRED']

export function isFinal(status: PaymentStatus): boolean {
  return !unfinishedStatuses.includes(status)
}

/** No operator refused a collection that ended by its time, so its payer's money may still come. */
export function hasExpired({ kind, failureReason }: Payment): boolean {
  return kind === 'momo_collection' && (failureReason === 'EXPIRED' || failureReason === 'OTP_EXPIRED')
}

/** The amount that acceptance reserves on the balance. */
export function totalDebit(payment: { amount: Money; fee: Money }): Money {
  return add(payment.amount, payment.fee)
}

/** A new payment: a draft and the values from acceptance. Its deadlines count from the current time. */
export function bornOf(draft: Draft, accepted: Accepted, nowMs: number): Payment {
  switch (draft.kind) {
    case 'bank_transfer':
      return { ...draft, ...accepted, ...unsentBankTransfer }
    case 'momo_transfer':
      return { ...draft, ...accepted, ...unsentMomoTransfer }
    case 'momo_collection': {
      const { approval } = draft
      const otpExpiresAt = approval.kind === 'otp' ? new Date(nowMs + approval.validMs) : null
      const expiresAt = new Date(nowMs + collectionLifeMs)
      return { ...draft, ...accepted, ...unaskedCollection(approval.kind, otpExpiresAt), expiresAt }
    }
  }
}

/** The payment as it was at acceptance, which is what a replay answers, also after the payment has changed. */
export function asAccepted(payment: Payment): Payment {
  const unmoved = { updatedAt: payment.createdAt, completedAt: null }
  switch (payment.kind) {
    case 'bank_transfer':
      return { ...payment, ...unmoved, ...unsentBankTransfer }
    case 'momo_transfer':
      return { ...payment, ...unmoved, ...unsentMomoTransfer }
    case 'momo_collection':
      return { ...payment, ...unmoved, ...unaskedCollection(payment.approval, payment.otpExpiresAt) }
  }
}

const unsentBankTransfer = { status: 'queued', sessionId: null, failureReason: null } as const
const unsentMomoTransfer = { status: 'queued', operatorReference: null, failureReason: null } as const

/** A code that the operator asks for only later is not known yet. */
function unaskedCollection(approval: Approval['kind'], otpExpiresAt: Date | null) {
  const byCode = approval === 'otp'
  return {
    status: byCode ? 'OTP_REQUIRED' : 'PENDING',
    approval,
    otpExpiresAt: byCode ? otpExpiresAt : null,
    otpAcceptedAt: null,
    otpHash: null,
    otpTries: 0,
    otpWrong: 0,
    operatorReference: null,
    failureReason: null,
    depositId: null,
    depositReference: null,
    expiredAt: null,
    expiredAs: null,
  } as const
}

// How the three kinds of payments differ, on one screen. Everything else is the same for all of them. `bornOf` makes a
// new payment; wire.ts shows it to a business.

type Kind = {
  /**
   * `out`: acceptance holds amount and fee, and the end pays them or gives them back. `in`: nothing is held; success is
   * an inflow, credited as the deposit that it makes.
   */
  direction: 'out' | 'in'
  /** The port of a rail that carries it. */
  port: 'payout' | 'momoPayout' | 'momoCollection'
  /** The outcome when the directory does not know the bank or operator. */
  unknownPayee: 'unknown-bank' | 'unknown-operator'
  /** The fields in which a second request under the same reference must agree with the first. */
  material: readonly string[]
  failureReasons: readonly FailureReason[]
  /** The event for each status. */
  events: { SUCCESS: EventName; FAILED: EventName; REVERSED?: EventName }
}

const ofWallets = {
  unknownPayee: 'unknown-operator',
  material: ['amount', 'phoneNumber', 'operator'],
  failureReasons: momoFailureReasons,
} as const

export const kinds: Record<PaymentKind, Kind> = {
  bank_transfer: {
    direction: 'out',
    port: 'payout',
    unknownPayee: 'unknown-bank',
    material: ['amount', 'bankSlug', 'accountNumber'],
    failureReasons: bankFailureReasons,
    events: { SUCCESS: 'transfer.success', FAILED: 'transfer.failed', REVERSED: 'transfer.reversed' },
  },
  momo_transfer: {
    direction: 'out',
    port: 'momoPayout',
    ...ofWallets,
    events: { SUCCESS: 'momo.transfer.success', FAILED: 'momo.transfer.failed' },
  },
  momo_collection: {
    direction: 'in',
    port: 'momoCollection',
    ...ofWallets,
    events: { SUCCESS: 'momo.collection.success', FAILED: 'momo.collection.failed' },
  },
}

/**
 * The policy of idempotency. Undefined: it is the same request; else the name of the first field that differs. Names,
 * narration and metadata never conflict.
 */
export function differingField(
  first: { kind: PaymentKind } & Record<string, unknown>,
  second: Record<string, unknown>,
): string | undefined {
  return kinds[first.kind].material.find((field) => first[field] !== second[field])
}

// The fee that a business pays for a payment.

/** Steps in ascending order: amounts up to `upTo` cost `fee`; the last step has no end. */
export type FeeSchedule = { upTo: Money | null; fee: Money }[]

/** ₦10 up to ₦5,000, ₦25 up to ₦50,000, ₦50 above. */
export const transferFees: FeeSchedule = [
  { upTo: toMoney(500_000), fee: toMoney(1_000) },
  { upTo: toMoney(5_000_000), fee: toMoney(2_500) },
  { upTo: null, fee: toMoney(5_000) },
]

/** The steps are amounts of naira. A payout in any other currency costs this share, rounded down. */
const foreignFeeBasisPoints = 100n

export function feeOf(schedule: FeeSchedule, amount: Money, currency: Currency = 'NGN'): Money {
  if (currency !== 'NGN') return toMoney((amount * foreignFeeBasisPoints) / 10_000n)
  const step = schedule.find(({ upTo }) => upTo === null || amount <= upTo)
  return present(step, 'the last step of a fee schedule has no end').fee
}
