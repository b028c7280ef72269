// Nigeria's wallets are institutions of the banks' network: a payment to a phone is a transfer to the wallet's bank, and the
// number of the account is that of the phone without its leading 0.

import type { BankFailureReason, MomoFailureReason, MomoOrder, RailOperator } from '#rails/rail.ts'
import type { Payee } from './recipients.ts'

/** Undefined: Paystack does not pay this operator's wallets. */
export function walletOf({
  operator,
  phoneNumber,
  accountName,
}: Pick<MomoOrder, 'operator' | 'phoneNumber' | 'accountName'>): Payee | undefined {
  const account = walletAccount(operator, phoneNumber)
  return account === undefined ? undefined : { ...account, name: accountName ?? operator.name }
}

export function walletAccount(
  { providerCodes }: RailOperator,
  phoneNumber: string,
): { bankCode: string; accountNumber: string } | undefined {
  const bankCode = providerCodes['paystackBankCode']
  const accountNumber = /^\+234(\d{10})$/.exec(phoneNumber)?.[1]
  return bankCode === undefined || accountNumber === undefined ? undefined : { bankCode, accountNumber }
}

const momoReasons: Partial<Record<BankFailureReason, MomoFailureReason>> = {
  INVALID_ACCOUNT: 'RECIPIENT_NOT_FOUND',
  ACCOUNT_NAME_MISMATCH: 'RECIPIENT_NOT_FOUND',
  DORMANT_ACCOUNT: 'RECIPIENT_NOT_FOUND',
  LIMIT_EXCEEDED: 'LIMIT_EXCEEDED',
  BANK_NOT_FOUND: 'OPERATOR_UNAVAILABLE',
  BANK_UNAVAILABLE: 'OPERATOR_UNAVAILABLE',
}

export function momoReasonOf(reason: BankFailureReason): MomoFailureReason {
  return momoReasons[reason] ?? 'UNSPECIFIED_FAILURE'
}
