// A bank transfer as the business sees it: the same in answers, lists and events, so that what an event says is what a
// read would have said at that moment.

import { formatId, type IdKind } from '#base/ids.ts'
import { toWire } from '#base/money.ts'
import { bankFailureReasons, type BankFailureReason } from '#rails/rail.ts'
import { isFinal, totalDebit, type Payment, type PaymentKind } from './payment.ts'

/** For the doors, which know rooms but no rails. */
export const bankFailureReasonNames = bankFailureReasons

/** As a sentence names them. */
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

/** The id of a payment of any kind, as its business knows it. */
export function publicIdOf({ kind, id }: Pick<Payment, 'kind' | 'id'>): string {
  return formatId(idKinds[kind], id)
}

export type TransferData = ReturnType<typeof transferData>

export function transferData(payment: Payment) {
  return {
    id: publicIdOf(payment),
    reference: payment.reference,
    status: payment.status,
    isFinal: isFinal(payment.status),
    amount: toWire(payment.amount),
    fee: toWire(payment.fee),
    totalDebit: toWire(totalDebit(payment)),
    currency: payment.currency,
    bankSlug: payment.bankSlug,
    bankName: payment.bankName,
    accountNumber: payment.accountNumber,
    accountName: payment.accountName,
    narration: payment.narration,
    sessionId: payment.sessionId,
    failureReason: payment.failureReason,
    failureMessage: payment.failureReason === null ? null : failureMessages[payment.failureReason],
    metadata: payment.metadata === null ? null : (JSON.parse(payment.metadata) as Record<string, string>),
    createdAt: payment.createdAt.toISOString(),
    updatedAt: payment.updatedAt.toISOString(),
    completedAt: payment.completedAt === null ? null : payment.completedAt.toISOString(),
  }
}

/** What happened, and what to do next. */
const failureMessages: Record<BankFailureReason, string> = {
  INVALID_ACCOUNT:
    'No such account at this bank. Check the account number and the bank, then send it under a new reference.',
  ACCOUNT_NAME_MISMATCH:
    'The account belongs to another name. Resolve the account, correct the name and use a new reference.',
  DORMANT_ACCOUNT: 'The account is dormant. Ask the recipient to reactivate it, or for another account.',
  ACCOUNT_RESTRICTED:
    'The account may not receive this payment. Ask the recipient to speak to the bank, or for another account.',
  DO_NOT_HONOR: 'The bank refused without a reason. Ask the recipient to speak to the bank, or for another account.',
  INVALID_TRANSACTION: 'The bank does not allow this transaction. Check the details with the recipient.',
  BANK_NOT_FOUND: 'The bank cannot be reached through this network. Choose another bank of the recipient.',
  BANK_UNAVAILABLE: "The recipient's bank is down. Try again later under a new reference.",
  LIMIT_EXCEEDED:
    'The amount is over a limit of the recipient or the bank. Send less at a time, or ask for another account.',
  SUSPECTED_FRAUD: 'The bank suspects fraud and refused. Do not retry; contact support with the reference.',
  INSUFFICIENT_BALANCE:
    'The payout account lacks funds. Contact support with the reference; a later payment may succeed.',
  DUPLICATE: 'The provider holds this for a duplicate. Check whether it was paid already before sending it again.',
  PROVIDER_ERROR:
    'The provider could not process it. Try again later under a new reference; contact support if it goes on.',
}
