// A deposit as the API shows it: exactly these 15 fields, in responses, lists and events alike.

import { isoTime } from '#platform/clock.ts'
import { formatId } from '#platform/ids.ts'
import { toWire, zero } from '#platform/money.ts'
import type { ReturnReason } from '#virtual-accounts/account.ts'
import { depositReference, type Deposit } from './deposit.ts'

/** Failure reasons for the business; they do not fit into the fields of a deposit. */
export const failureReasonNames = [
  'UNDERPAID',
  'OVERPAID',
  'LATE',
  'DUPLICATE_PAYMENT',
  'ACCOUNT_CLOSED',
  'PROVIDER_FAILED',
] as const

const reasonOfReturn: Record<ReturnReason, (typeof failureReasonNames)[number]> = {
  UNDERPAID: 'UNDERPAID',
  OVERPAID: 'OVERPAID',
  EXPIRED: 'LATE',
  ALREADY_PAID: 'DUPLICATE_PAYMENT',
  ACCOUNT_CLOSED: 'ACCOUNT_CLOSED',
}

export function failureData({ id, returnReason, amount, createdAt }: Deposit) {
  return {
    reference: depositReference(id),
    reason: returnReason === null ? ('PROVIDER_FAILED' as const) : reasonOfReturn[returnReason],
    amount: toWire(amount),
    createdAt: isoTime(createdAt),
  }
}

export type DepositData = ReturnType<typeof depositData>

export function depositData(deposit: Deposit) {
  return {
    id: formatId('deposit', deposit.id),
    amount: toWire(deposit.amount),
    reference: depositReference(deposit.id),
    status: deposit.status,
    currency: deposit.currency,
    senderAccountName: deposit.senderAccountName,
    senderAccountNumber: deposit.senderAccountNumber,
    senderBankName: deposit.senderBankName,
    recipientAccountName: deposit.accountName,
    recipientAccountNumber: deposit.accountNumber,
    recipientBankName: deposit.bankName,
    narration: deposit.narration,
    // A failed deposit has no fee.
    fee: toWire(deposit.status === 'FAILED' ? zero : deposit.fee),
    createdAt: isoTime(deposit.createdAt),
    updatedAt: isoTime(deposit.updatedAt),
  }
}
