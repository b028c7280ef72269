// A payment as the business sees it. Answers, lists and events share this form, so an event has the data that a read
// would have returned at that moment.

import { assert } from '#platform/assert.ts'
import { isoTime } from '#platform/clock.ts'
import { formatId, type IdKind } from '#platform/ids.ts'
import { toWire } from '#platform/money.ts'
import { bankFailureMessages, momoFailureMessages } from '#rails/outcome.ts'
import { bankFailureReasons, momoFailureReasons } from '#rails/rail.ts'
import { isFinal, totalDebit, type MobileMoney, type Payment, type PaymentKind, type PaymentOf } from './payment.ts'

/** Exported from here, because the API may import this module but not the rails. */
export const bankFailureReasonNames = bankFailureReasons
export const momoFailureReasonNames = momoFailureReasons

export const kindNames: Record<PaymentKind, string> = {
  bank_transfer: 'bank transfer',
  momo_transfer: 'mobile-money transfer',
  momo_collection: 'mobile-money collection',
}

const idKinds: Record<PaymentKind, IdKind> = {
  bank_transfer: 'transfer',
  momo_transfer: 'momoTransfer',
  momo_collection: 'momoCollection',
}

export function publicIdOf({ kind, id }: Pick<Payment, 'kind' | 'id'>): string {
  return formatId(idKinds[kind], id)
}

/** Columns that only the execution of a payment needs. */
type UnshownColumn =
  | 'lane'
  | 'tenantId'
  | 'submittedAt'
  | 'parkedAt'
  | 'asks'
  | 'submissionAnswer'
  | 'trace'
  | 'rail'
  | 'attempts'
  | 'customerName'
  | 'approval'
  | 'otpAcceptedAt'
  | 'otpHash'
  | 'otpTries'
  | 'otpWrong'
  | 'depositId'

/** A payment with the columns that lists read. A full payment has this type too. */
export type ShownPayment<P extends Payment = Payment> = P extends Payment ? Omit<P, UnshownColumn> : never

export type TransferData = ReturnType<typeof transferData>
export type MomoTransferData = ReturnType<typeof momoTransferData>
export type MomoCollectionData = ReturnType<typeof momoCollectionData>

export function paymentData(payment: ShownPayment): TransferData | MomoTransferData | MomoCollectionData {
  if (payment.kind === 'bank_transfer') return transferData(payment)
  return payment.kind === 'momo_transfer' ? momoTransferData(payment) : momoCollectionData(payment)
}

export function transferData(unchecked: ShownPayment) {
  const payment = asKind(unchecked, 'bank_transfer')
  return {
    ...head(payment),
    ...outflow(payment),
    bankSlug: payment.bankSlug,
    bankName: payment.bankName,
    accountNumber: payment.accountNumber,
    accountName: payment.accountName,
    narration: payment.narration,
    sessionId: payment.sessionId,
    failureReason: payment.failureReason,
    failureMessage: payment.failureReason === null ? null : bankFailureMessages[payment.failureReason],
    ...tail(payment),
  }
}

export function momoTransferData(unchecked: ShownPayment) {
  const payment = asKind(unchecked, 'momo_transfer')
  return {
    ...head(payment),
    ...outflow(payment),
    phoneNumber: payment.phoneNumber,
    accountNumber: payment.accountNumber,
    accountReference: payment.accountReference,
    operator: payment.operator,
    accountName: payment.accountName,
    narration: payment.narration,
    operatorReference: payment.operatorReference,
    ...momoFailure(payment),
    ...tail(payment),
  }
}

export function momoCollectionData(unchecked: ShownPayment) {
  const payment = asKind(unchecked, 'momo_collection')
  return {
    ...head(payment),
    requiresOtp: payment.otpExpiresAt !== null,
    otpExpiresAt: timeOf(payment.otpExpiresAt),
    expiresAt: isoTime(payment.expiresAt),
    amount: toWire(payment.amount),
    fee: toWire(payment.fee),
    currency: payment.currency,
    phoneNumber: payment.phoneNumber,
    operator: payment.operator,
    narration: payment.narration,
    operatorReference: payment.operatorReference,
    depositReference: payment.depositReference,
    ...momoFailure(payment),
    ...tail(payment),
  }
}

/** Each kind has its own endpoints; it is a bug if a payment reaches those of another kind. */
function asKind<K extends PaymentKind>(payment: ShownPayment, kind: K): ShownPayment<PaymentOf<K>> {
  assert(payment.kind === kind, `a ${kindNames[payment.kind]} was shown as a ${kindNames[kind]}`)
  return payment as ShownPayment<PaymentOf<K>>
}

function head<P extends ShownPayment>(payment: P) {
  const { reference, status }: { reference: string; status: P['status'] } = payment
  return { id: publicIdOf(payment), reference, status, isFinal: isFinal(status) }
}

function outflow(payment: Pick<Payment, 'amount' | 'fee' | 'currency'>) {
  return {
    amount: toWire(payment.amount),
    fee: toWire(payment.fee),
    totalDebit: toWire(totalDebit(payment)),
    currency: payment.currency,
  }
}

function momoFailure({ failureReason }: Pick<MobileMoney, 'failureReason'>) {
  return { failureReason, failureMessage: failureReason === null ? null : momoFailureMessages[failureReason] }
}

function tail({ metadata, createdAt, updatedAt, completedAt }: ShownPayment) {
  return {
    metadata: metadata === null ? null : (JSON.parse(metadata) as Record<string, string>),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    completedAt: timeOf(completedAt),
  }
}

function timeOf(at: Date | null): string | null {
  return at === null ? null : isoTime(at)
}
