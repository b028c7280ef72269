// A payment: money that a business sends, or collects from a payer. `kinds` shows how the three kinds differ;
// transitions.ts has the moves between their states. docs/states.md draws the states, and the table's CHECKs refuse any
// other state.

import { findOperator } from '#directory/operators.ts'
import type { EventName } from '#events/catalogue.ts'
import type { OfTenant } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { add, type Currency, type Money } from '#platform/money.ts'
import {
  type Approval,
  type BankFailureReason,
  type MomoFailureReason,
  bankFailureReasons,
  momoFailureReasons,
} from '#rails/rail.ts'

/** The last answer of the rail of an unfinished payment; `no-rail` if there was no rail to ask. */
export type LastAnswer = 'pending' | 'unknown' | 'not-found' | 'no-rail'

/**
 * The result of an earlier submission of an unfinished payment, if it limits what may follow. `unclear`: the payment
 * stayed absent for the grace period, so it may be submitted again under the same reference, but only to this rail.
 * `refused`: the rail refused the payment, but not with a code that the rail lists as final. `exists`: the rail
 * reported that it has the reference, or showed the payment after a refusal or after an absence for the grace period.
 * Null: nothing is known, or the payment was never submitted to this rail.
 */
export type SubmissionAnswer = 'unclear' | 'refused' | 'exists'

export const transferStatuses = ['queued', 'SUCCESS', 'FAILED', 'REVERSED'] as const
type TransferStatus = (typeof transferStatuses)[number]

export const collectionStatuses = ['PENDING', 'OTP_REQUIRED', 'SUCCESS', 'FAILED'] as const
type CollectionStatus = (typeof collectionStatuses)[number]

export type PaymentStatus = TransferStatus | CollectionStatus

export const paymentKinds = ['bank_transfer', 'momo_transfer', 'momo_collection'] as const
export type PaymentKind = (typeof paymentKinds)[number]

export type FailureReason = BankFailureReason | MomoFailureReason

type PaymentRequest = {
  reference: string
  amount: Money
  currency: Currency
  narration: string | null
  /** JSON text, unchanged. */
  metadata: string | null
}

export type BankTransferRequest = PaymentRequest & { bankSlug: string; accountNumber: string; accountName: string }

/**
 * Without `operator` (a slug), the prefix of the phone number gives the operator. Without `currency`, the currency is
 * the operator's.
 */
type MomoRequest = Omit<PaymentRequest, 'currency'> & { operator: string | undefined; currency: Currency | undefined }

/**
 * A wallet has a phone number (E.164). A till or paybill has the number of the business, and a paybill also the account there;
 * their `phoneNumber` is null.
 */
type MomoPayee = { phoneNumber: string | null; accountNumber: string | null; accountReference: string | null }

export type MomoTransferRequest = MomoRequest &
  Pick<MomoPayee, 'phoneNumber'> &
  Partial<MomoPayee> & { accountName: string | null }
export type MomoCollectionRequest = MomoRequest & { phoneNumber: string; customerName: string | null }

/** A payment before its acceptance. Bank and operator come from the directory. */
export type Draft =
  | (PaymentRequest & {
      kind: 'bank_transfer'
      bankSlug: string
      bankName: string
      accountNumber: string
      accountName: string
    })
  | (PaymentRequest & MomoPayee & { kind: 'momo_transfer'; operator: string; accountName: string | null })
  | (PaymentRequest & {
      kind: 'momo_collection'
      phoneNumber: string
      operator: string
      customerName: string | null
      approval: Approval
    })

type Accepted = OfTenant & {
  id: Uuid
  fee: Money
  /**
   * The rail of the payment. No other rail is asked while this rail may have the payment (execution/failover.ts). Null:
   * a version that did not store the rail accepted the payment, so any rail may have it.
   */
  rail: string | null
  /** The number of rails that the payment has been at, including the current one. */
  attempts: number
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
  submittedAt: Date | null
  /** The time since when the payment waits because the balance at its rail is too small. */
  parkedAt: Date | null
  /**
   * How often the rail was asked without a result; the time of the next question depends on it (execution/schedule.ts).
   */
  asks: number
  submissionAnswer: SubmissionAnswer | null
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
    /** Null if the collection needs no code. */
    otpExpiresAt: Date | null
    otpAcceptedAt: Date | null
    otpHash: string | null
    otpTries: number
    otpWrong: number
    expiresAt: Date
    depositId: Uuid | null
    depositReference: string | null
    /** When the collection expired and with which reason, if the payer's money came after that. */
    expiredAt: Date | null
    expiredAs: MomoFailureReason | null
  }

export type MobileMoney = MomoTransfer | MomoCollection
export type Payment = BankTransfer | MobileMoney

/** Null for bank transfers. */
export function countryOf(payment: Payment): string | null {
  return payment.kind === 'bank_transfer' ? null : (findOperator(payment.operator)?.country ?? null)
}

export type PaymentOf<K extends PaymentKind> = Extract<Payment, { kind: K }>

export type Result =
  | {
      kind: 'succeeded'
      sessionId?: string | null
      operatorReference?: string | null
      /** The rail may still return the money, so it is asked again after this time. */
      lookAgainMs?: number
      /** The provider's fee; absent if the provider does not report it. */
      cost?: Money
    }
  | { kind: 'failed'; reason: FailureReason; lookAgainMs?: number }
  | { kind: 'reversed' }
  | CodeResult

/** Returns null if the loop need not look at the payment after this result. */
export function lookAt({ lookAgainMs }: { lookAgainMs?: number }, nowMs: number): Date | null {
  return lookAgainMs === undefined ? null : new Date(nowMs + lookAgainMs)
}

/** Why a payment leaves a rail that certainly does not have it. The table of attempts has the same names. */
export const leavingReasons = ['stopped', 'misconfigured', 'resting', 'float', 'no-rail', 'refused'] as const
export type LeavingReason = (typeof leavingReasons)[number]

/**
 * A move to another rail, because the current one certainly does not have the payment. It is valid only while the row
 * is due at `leaseEnd`, because then no other process has claimed the payment since.
 */
export type RailChange = { kind: 'rail-changed'; from: string; to: string; why: LeavingReason; leaseEnd: Date } & {
  /** The reference under which notices of the new rail name the payment; null if that rail sends no notices. */
  railReference: string | null
}

export type CodeResult =
  /** The operator asks for a code after all. */
  | { kind: 'otp-required'; expiresAtMs: number }
  /** The time for the code is over, and the operator has accepted none. */
  | { kind: 'otp-expired'; lookAgainMs?: number }
  /** A code is about to be submitted to the operator; the attempt counts from now on. */
  | { kind: 'otp-tried' }
  | { kind: 'otp-wrong' }
  | { kind: 'otp-undecided' }
  | { kind: 'otp-accepted'; hash: string; lookAgainMs: number }

/**
 * `at` dates the change: never before the tenant's last change, even if clocks differ. `nowMs` is the current time,
 * which decides whether something is late and when it is due again.
 */
export type Moment = { at: Date; nowMs: number }

/** Statuses of payments that have not ended. The SQL names these statuses too. */
export const unfinishedStatuses: readonly PaymentStatus[] = ['queued', 'PENDING', 'OTP_REQUIRED']

export function isFinal(status: PaymentStatus): boolean {
  return !unfinishedStatuses.includes(status)
}

export function totalDebit(payment: { amount: Money; fee: Money }): Money {
  return add(payment.amount, payment.fee)
}

const collectionLifeMs = 15 * minuteMs

/** Creates the payment. Its deadlines count from `nowMs`. */
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

/** The payment as it was at acceptance: the answer to a replay, even after the payment has changed. */
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

// How the three kinds of payments differ in rules that several modules apply. wire.ts shows a payment to a business.

type Kind = {
  /**
   * `out`: acceptance reserves amount and fee, and the end spends or releases them. `in`: nothing is reserved; a
   * success is an inflow, which is credited as a deposit.
   */
  direction: 'out' | 'in'
  port: 'payout' | 'momoPayout' | 'momoCollection'
  unknownPayee: 'unknown-bank' | 'unknown-operator'
  failureReasons: readonly FailureReason[]
  events: { SUCCESS: EventName; FAILED: EventName; REVERSED?: EventName }
}

const ofWallets = {
  unknownPayee: 'unknown-operator',
  failureReasons: momoFailureReasons,
} as const

export const kinds: Record<PaymentKind, Kind> = {
  bank_transfer: {
    direction: 'out',
    port: 'payout',
    unknownPayee: 'unknown-bank',
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
