// A deposit as the business sees it: exactly these 15 fields, in answers, lists and events alike.

import { formatId } from '#base/ids.ts'
import { toWire, zero } from '#base/money.ts'
import { depositReference, type Deposit } from './deposit.ts'

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
    // Of a deposit that failed nothing is deducted.
    fee: toWire(deposit.status === 'FAILED' ? zero : deposit.fee),
    createdAt: deposit.createdAt.toISOString(),
    updatedAt: deposit.updatedAt.toISOString(),
  }
}
