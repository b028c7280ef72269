// A payment: what a business sends, or asks somebody to pay. Three kinds of one thing; where they differ is kinds.ts, the
// moves between their states are move.ts. The drawing of the states is docs/states.md, and the table's CHECKs refuse what
// is not in it.

import type { Uuid } from '#base/ids.ts'
import { add, type Currency, type Kobo } from '#base/money.ts'
import type { Approval, BankFailureReason, MomoFailureReason } from '#rails/rail.ts'

/** Of what is sent: to a bank account or to a wallet. */
export const transferStatuses = ['queued', 'SUCCESS', 'FAILED', 'REVERSED'] as const
export type TransferStatus = (typeof transferStatuses)[number]

export const collectionStatuses = ['PENDING', 'OTP_REQUIRED', 'SUCCESS', 'FAILED'] as const
export type CollectionStatus = (typeof collectionStatuses)[number]

export type PaymentStatus = TransferStatus | CollectionStatus

export const paymentKinds = ['bank_transfer', 'momo_transfer', 'momo_collection'] as const
export type PaymentKind = (typeof paymentKinds)[number]

export type FailureReason = BankFailureReason | MomoFailureReason

/** What the business asks for, whatever the kind. */
type Asked = {
  reference: string
  amount: Kobo
  currency: Currency
  narration: string | null
  /** JSON text, as it came. */
  metadata: string | null
}

export type Request = Asked & { bankSlug: string; accountNumber: string; accountName: string }

/** `phoneNumber` is E.164; without `operator` (a slug) the number's prefix decides. */
type WalletRequest = Asked & { phoneNumber: string; operator: string | undefined }
export type MomoTransferRequest = WalletRequest & { accountName: string | null }
export type MomoCollectionRequest = WalletRequest & { customerName: string | null }

/** A payment to be: all of it that acceptance does not give. The payee is as the directory knows it. */
export type Draft =
  | (Asked & {
      kind: 'bank_transfer'
      bankSlug: string
      bankName: string
      accountNumber: string
      accountName: string
    })
  | (Asked & { kind: 'momo_transfer'; phoneNumber: string; operator: string; accountName: string | null })
  | (Asked & {
      kind: 'momo_collection'
      phoneNumber: string
      operator: string
      customerName: string | null
      approval: Approval
    })

/** What acceptance gives, and what becomes of it. */
type Accepted = {
  lane: number
  tenantId: Uuid
  id: Uuid
  fee: Kobo
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
  submittedAt: Date | null
  asks: number
}

type DraftOf<K extends PaymentKind> = Extract<Draft, { kind: K }>

export type BankTransfer = Accepted &
  DraftOf<'bank_transfer'> & {
    status: TransferStatus
    sessionId: string | null
    failureReason: BankFailureReason | null
  }

type OfOperator = { operatorReference: string | null; failureReason: MomoFailureReason | null }

export type MomoTransfer = Accepted & DraftOf<'momo_transfer'> & OfOperator & { status: TransferStatus }

export type MomoCollection = Accepted &
  Omit<DraftOf<'momo_collection'>, 'approval'> &
  OfOperator & {
    status: CollectionStatus
    /** As it was known at acceptance. */
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
  }

export type Payment = BankTransfer | MomoTransfer | MomoCollection
export type PaymentOf<K extends PaymentKind> = Extract<Payment, { kind: K }>

/** What was learned about a payment. Only an explicit word of the rail (or, on staging, of the tester) moves money. */
export type Result =
  | {
      kind: 'succeeded'
      /** Its proof: the one for banks, the other for operators. */
      sessionId?: string | null
      operatorReference?: string | null
      /** The rail may still take it back: look again then. */
      lookAgainMs?: number
    }
  | { kind: 'failed'; reason: FailureReason }
  | { kind: 'reversed' }
  | CodeWord

/** What was learned about the one-time code of a collection. */
export type CodeWord =
  /** The operator asks for one after all. */
  | { kind: 'otp-required'; expiresAtMs: number }
  /** The time for it is over, and the operator has none. */
  | { kind: 'otp-expired' }
  /** One is about to be taken to the operator, which counts; and what came of that. */
  | { kind: 'otp-tried' }
  | { kind: 'otp-wrong' }
  | { kind: 'otp-undecided' }
  | { kind: 'otp-accepted'; hash: string; lookAgainMs: number }

/** From then on a collection that its operator does not know has failed. */
export const collectionLifeMs = 15 * 60_000

/** Still to be ended. The SQL says it too. */
export const unfinishedStatuses: readonly PaymentStatus[] = ['queued', 'PENDING', 'OTP_REQUIRED']

export function isFinal(status: PaymentStatus): boolean {
  return !unfinishedStatuses.includes(status)
}

/** What acceptance sets aside. */
export function totalDebit(payment: { amount: Kobo; fee: Kobo }): Kobo {
  return add(payment.amount, payment.fee)
}

/** A draft with what every payment is given at its acceptance. */
export function bornOf(draft: Draft, accepted: Accepted): Payment {
  switch (draft.kind) {
    case 'bank_transfer':
      return { ...draft, ...accepted, status: 'queued', sessionId: null, failureReason: null }
    case 'momo_transfer':
      return { ...draft, ...accepted, status: 'queued', operatorReference: null, failureReason: null }
    case 'momo_collection': {
      const { approval } = draft
      const bornMs = accepted.createdAt.getTime()
      return {
        ...draft,
        ...accepted,
        status: approval.kind === 'otp' ? 'OTP_REQUIRED' : 'PENDING',
        approval: approval.kind,
        otpExpiresAt: approval.kind === 'otp' ? new Date(bornMs + approval.validMs) : null,
        expiresAt: new Date(bornMs + collectionLifeMs),
        operatorReference: null,
        failureReason: null,
        ...noCode,
        depositId: null,
        depositReference: null,
      }
    }
  }
}

const noCode = { otpAcceptedAt: null, otpHash: null, otpTries: 0, otpWrong: 0 }

/** As it was when it was accepted: what a replay answers, whatever has become of it since. */
export function asAccepted(payment: Payment): Payment {
  const unmoved = { updatedAt: payment.createdAt, completedAt: null, failureReason: null }
  if (payment.kind === 'bank_transfer') return { ...payment, ...unmoved, status: 'queued', sessionId: null }
  if (payment.kind === 'momo_transfer') return { ...payment, ...unmoved, status: 'queued', operatorReference: null }
  const atOnce = payment.approval === 'otp'
  return {
    ...payment,
    ...unmoved,
    ...noCode,
    status: atOnce ? 'OTP_REQUIRED' : 'PENDING',
    // Of a code that was asked for later the first answer knew nothing.
    otpExpiresAt: atOnce ? payment.otpExpiresAt : null,
    operatorReference: null,
    depositId: null,
    depositReference: null,
  }
}
